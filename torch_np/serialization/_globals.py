"""Loader: the names that a pickle of PyTorch's may refer to, and the objects built for them."""
from __future__ import annotations

import _compat_pickle
import copyreg
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from torch_np import _C
from torch_np._torch.dtype_names import LEGACY
from torch_np._torch.storage import TypedStorage, UntypedStorage
from torch_np.serialization import _safe_globals
from torch_np.serialization._archive import Reader
from torch_np.serialization._locations import has_packages
from torch_np.serialization._options import LoadEndianness, get_default_load_endianness
from torch_np.serialization._unpickler import Callable_, Unpickler

STORAGES = {f"{name}Storage": dtype for dtype, name in LEGACY.items()}
DTYPES = {str(d).rpartition(".")[2]: d for d in (*STORAGES.values(), _C.uint16, _C.uint32, _C.uint64)}


_BLOCKED = frozenset(("nt", "os", "posix", "sys"))  # add_safe_globals has no effect for them


class _StorageType(Callable_):
    """A storage class such as FloatStorage, in the identifier of a storage; `dtype` is None for
    UntypedStorage.
    """

    __slots__ = ("dtype",)

    def __init__(self, name: str, dtype: _C.dtype | None) -> None:
        super().__init__(name, self._refuse)
        self.dtype = dtype

    def _refuse(self, *args):
        raise UnpicklingError(f"the pickle calls {self.name}")


def _whole(value, least=None):
    if type(value) is not int or (least is not None and value < least):
        raise UnpicklingError(f"the pickle has {value!r} where a number of elements is due")
    return value


def _sizes(value, least=None):
    if not isinstance(value, tuple):
        raise UnpicklingError("the pickle has no tuple where a shape is due")
    return tuple(_whole(n, least) for n in value)


def _truth(value):
    if not isinstance(value, bool):
        raise UnpicklingError("the pickle has no bool where one is due")
    return value


def _encode(text, encoding="latin1"):
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise UnpicklingError("the pickle encodes an object that is not a str")
    return text.encode(encoding)


def _checked(kind, *types):
    """A function that calls `kind` with arguments of the given types only."""
    def call(*args):
        if not all(isinstance(a, types) for a in args):
            raise UnpicklingError(f"the pickle calls {kind.__name__} with {', '.join(type(a).__name__ for a in args)}")
        return kind(*args)
    return call


def _device(*args):
    try:
        return _checked(_C.device, str, int)(*args)
    except (RuntimeError, ValueError, TypeError) as error:
        raise UnpicklingError(f"the file has the device {args!r}: {error}") from error


def _layout(name):
    from torch_np.serialization._rebuild import _get_layout

    try:
        return _get_layout(name)
    except (ValueError, AttributeError) as error:
        raise UnpicklingError(f"the file has the layout {name!r}") from error


def _ordered(*args):
    # PyTorch writes OrderedDict without arguments or with a list of pairs.
    return OrderedDict(*args) if not args else _from_pairs(OrderedDict, *args)


def _from_pairs(kind, pairs):
    from torch_np.serialization._unpickler import check_key

    made = kind()
    for key, value in list(pairs.items()) if isinstance(pairs, dict) else pairs:
        check_key(key)
        made[key] = value
    return made


def _set_of(kind):
    def call(items=()):
        from torch_np.serialization._unpickler import check_key

        if not isinstance(items, (list, tuple)):
            raise UnpicklingError("the pickle makes a set of an object that is not a list")
        for item in items:
            check_key(item)
        return kind(items)
    return call


def _defaults(factory=None, *args):
    if args or not (factory is None or isinstance(factory, Callable_) and factory.name in ("list", "dict", "int", "set")):
        raise UnpicklingError("the pickle has a defaultdict of another kind")
    return defaultdict(None if factory is None else {"list": list, "dict": dict, "int": int, "set": set}[factory.name])


class Loader:
    """Reads the object of an archive. `place(storage, device)` moves a storage to its target
    device.
    """

    encoding = "latin1"  # of texts that Python 2 wrote
    fills_late = False  # whether storages are read after the pickle

    def __init__(self, archive: Reader, place: Callable[[Any, str], Any]) -> None:
        self._archive, self._place = archive, place
        self._storages: dict[str, _C.Tensor] = {}
        self._unchecked: list[tuple[_C.Tensor, Any]] = []
        order = archive.read("byteorder") if archive.has("byteorder") else None
        if order not in (None, b"little", b"big"):
            raise UnpicklingError(f"the file's numbers are in the byte order {order!r}, neither 'little' nor 'big'")
        self._is_big = order == b"big" or order is None and get_default_load_endianness() is LoadEndianness.BIG
        self._names: dict[tuple[str, str], Any] = {
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor, ("torch._utils", "_rebuild_tensor_v3"): self._tensor_of_dtype,
            ("torch._utils", "_rebuild_parameter"): self._parameter,
            ("torch._utils", "_rebuild_parameter_with_state"): self._parameter_with_state,
            ("torch._utils", "_rebuild_meta_tensor_no_storage"): self._meta_tensor,
            ("torch._utils", "_rebuild_sparse_tensor"): self._sparse, ("torch.serialization", "_get_layout"): _layout,
            ("torch._tensor", "_rebuild_from_type_v2"): self._from_type,
            ("torch", "Size"): lambda sizes=(): _C.Size(_sizes(tuple(sizes), 0)), ("torch", "device"): _device,
            ("torch", "Tensor"): self._refuse("Tensor"), ("torch.nn.parameter", "Parameter"): self._refuse("Parameter"),
            ("collections", "OrderedDict"): _ordered, ("collections", "Counter"): lambda *a: _from_pairs(Counter, *a) if a else Counter(),
            ("collections", "defaultdict"): _defaults, ("_codecs", "encode"): _encode,
        }
        for module in ("__builtin__", "builtins"):
            self._names |= {(module, "complex"): _checked(complex, int, float), (module, "set"): _set_of(set),
                            (module, "frozenset"): _set_of(frozenset), (module, "bytearray"): _checked(bytearray, bytes),
                            (module, "list"): self._refuse("list"), (module, "dict"): self._refuse("dict"),
                            (module, "int"): self._refuse("int")}

    def load(self) -> Any:
        """The object in `data.pkl`, of data and of what `add_safe_globals` named."""
        return Unpickler(self.pickle(), self._find, self.persistent, _safe_globals.is_safe, self.encoding).load()

    def pickle(self) -> bytes:
        """The record `data.pkl`."""
        return self._archive.read("data.pkl")

    def part(self, name: str) -> Callable[..., Any]:
        """The function in place of `torch._utils.<name>`."""
        return self._names["torch._utils", name]

    def tensor_name(self, module: str, name: str) -> Any:
        """The class of storages or the dtype with that name; None for other names."""
        if module in ("torch", "torch.storage") and (name in STORAGES or name == "UntypedStorage"):
            return _StorageType(name, STORAGES.get(name))
        return DTYPES.get(name) if module == "torch" else None

    def unknown(self, module: str, name: str) -> bool:
        """Whether `load` refuses a file with this name."""
        return (self.tensor_name(module, name) is None and (module, name) not in self._names
                and _safe_globals.find(module, name) is None)

    def _refuse(self, name):
        def call(*args):
            raise UnpicklingError(f"the pickle calls {name}")
        return call

    def _find(self, module, name):
        module = _compat_pickle.IMPORT_MAPPING.get(module, module)
        found = self.tensor_name(module, name)
        if found is not None:
            return found
        call = self._names.get((module, name))
        if call is not None:
            return Callable_(name, call)
        if module in _BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {module}.{name} whose module {module} is blocked.")
        safe = _safe_globals.find(module, name)
        if safe is None:
            raise UnpicklingError(f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} was not an allowed global by default. "
                                  f"the file refers to {module}.{name}, but only tensors, numbers, text and containers are loaded. "
                                  "Of a module, save the state_dict(). If calls of it are harmless, add_safe_globals() lets load() use it; if the "
                                  "file is from a source that you trust, load(weights_only=False) runs its code")
        return safe[0]

    def persistent(self, name: Any) -> Any:
        """The storage with that identifier."""
        if isinstance(name, tuple):  # Python 2 wrote its text as bytes
            name = tuple(part.decode("ascii", "replace") if isinstance(part, bytes) else part for part in name)
        if not (isinstance(name, tuple) and len(name) >= 5 and name[0] == "storage" and isinstance(name[1], _StorageType)
                and isinstance(name[2], str) and isinstance(name[3], str)):
            raise UnpicklingError("the pickle names something else than a storage")
        _, kind, key, device, count = name[:5]
        itemsize = 1 if kind.dtype is None else kind.dtype.itemsize
        if key not in self._storages:
            self._storages[key] = self._read(key, device, kind.dtype)
        held = self._storages[key]
        if _whole(count, 0) * itemsize > held.numel():
            raise UnpicklingError(f"storage {key} is said to have {count} elements of {itemsize} bytes, and has {held.numel()} bytes")
        untyped = UntypedStorage._of(held)
        return untyped if kind.dtype is None else TypedStorage(wrap_storage=untyped, dtype=kind.dtype)

    def _read(self, key, device, dtype):
        import torch_np

        record = f"data/{key}"
        size, mapped = self._archive.size(record), self._archive.mapped(record)
        if mapped is not None and size:
            held = torch_np.frombuffer(mapped, dtype=torch_np.uint8)
        else:
            held = torch_np.empty((size,), dtype=torch_np.uint8, device="cpu")
            if size:
                self._archive.read_into(record, memoryview(_C._numpy_view(held).data))
        if self._is_big and dtype is not None:
            held = _swapped(held, dtype.itemsize // (2 if dtype.is_complex else 1))
        if not has_packages():  # a registered kind of devices has names of its own
            self._check_device(device)
        return self._place(torch_np.UntypedStorage._of(held), device)._bytes

    def _check_device(self, device):
        _device(device)

    def _view(self, storage, dtype, offset, size, stride, requires_grad):
        import torch_np

        if not isinstance(storage, (UntypedStorage, TypedStorage)) or type(dtype) is not _C.dtype:
            raise UnpicklingError("the pickle makes a tensor of an object that is not a storage")
        held = (storage if isinstance(storage, UntypedStorage) else storage.untyped())._bytes
        made = torch_np.empty((0,), dtype=dtype, device=held.device)
        try:
            _C._set_storage(made, held, dtype, _whole(offset, 0), _sizes(size, 0), _sizes(stride, 0))
        except RuntimeError as error:
            raise UnpicklingError(f"a tensor in the file does not fit into its storage: {error}") from error
        if dtype == _C.bool and held.numel() and bool((held > 1).any()):
            raise UnpicklingError("a tensor of bools in the file has bytes other than 0 and 1")
        return made.requires_grad_() if _truth(requires_grad) else made

    def _tensor(self, storage, offset, size, stride, requires_grad, hooks=None, metadata=None):
        return self._view(storage, storage.dtype if isinstance(storage, TypedStorage) else _C.uint8, offset, size, stride, requires_grad)

    def _tensor_of_dtype(self, storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
        return self._view(storage, dtype, offset, size, stride, requires_grad)

    def _meta_tensor(self, dtype, size, stride, requires_grad):
        import torch_np

        if type(dtype) is not _C.dtype:
            raise UnpicklingError("the pickle makes a tensor without a dtype")
        try:
            made = torch_np.empty_strided(_sizes(size, 0), _sizes(stride, 0), dtype=dtype, device="meta")
        except (RuntimeError, MemoryError) as error:
            raise UnpicklingError(f"the file contains an invalid tensor: {error}") from error
        return made.requires_grad_() if _truth(requires_grad) else made

    def _sparse(self, layout, data):
        from torch_np.serialization._rebuild import _rebuild_sparse_tensor
        from torch_np.sparse._parts import LAYOUTS

        number = LAYOUTS.index(layout) if layout in LAYOUTS else None
        parts = 3 if number else 2
        if number is None or not isinstance(data, tuple) or len(data) not in ((4,) if number else (3, 4)):
            raise UnpicklingError("the pickle makes a sparse tensor of an unknown layout")
        if not all(isinstance(part, _C.Tensor) for part in data[:parts]):
            raise UnpicklingError("the pickle makes a sparse tensor of objects that are not tensors")
        size = _C.Size(_sizes(tuple(data[parts]), 0))
        args = layout, (*data[:parts], size, *(_truth(flag) for flag in data[parts + 1:]))
        if not self.fills_late:
            return _rebuild_sparse_tensor(*args)
        made = _C._make_sparse(number, data[0], data[1] if number else None, data[parts - 1], size, False)
        self._unchecked.append((made, args))
        return made

    def check_sparse(self) -> None:
        """Checks the sparse tensors of which the storages were read after they had been made."""
        from torch_np.serialization._rebuild import _rebuild_sparse_tensor

        for made, args in self._unchecked:
            _C._replace_sparse(made, *_C._sparse_parts(checked := _rebuild_sparse_tensor(*args))[:4], _C._sparse_shape(checked),
                               _C._sparse_parts(checked)[4])

    def _parameter(self, data, requires_grad, hooks=None):
        from torch_np.nn.parameter import Parameter

        if not isinstance(data, _C.Tensor):
            raise UnpicklingError("the pickle makes a parameter of an object that is not a tensor")
        return Parameter(data, _truth(requires_grad))

    def _parameter_with_state(self, data, requires_grad, hooks, state):
        return _with_attributes(self._parameter(data, requires_grad), state)

    def _from_type(self, function, kind, args, state):
        # Tensors and parameters with attributes, and of classes that add_safe_globals named.
        safe = isinstance(kind, type) and issubclass(kind, _C.Tensor) and _safe_globals.is_safe(kind)
        if not isinstance(function, Callable_) or not (safe or isinstance(kind, Callable_)) or not isinstance(args, tuple):
            raise UnpicklingError("the pickle makes a tensor of an unsupported class")
        made = function.call(*args)
        if not safe:
            return _with_attributes(made, state)
        made = of_class(made, kind)
        if has_own_state(kind):
            made.__setstate__(state)
            return made
        return _with_attributes(made, state)


def _swapped(held, width):
    """The bytes, with those of each number in reverse order."""
    import torch_np

    if width == 1:
        return held
    if held.numel() % width:
        raise UnpicklingError(f"a storage of {held.numel()} bytes has numbers of {width} bytes")
    result = torch_np.empty_like(held)
    result.view(-1, width).copy_(held.view(-1, width).flip(1))
    return result


def of_class(tensor: Any, kind: Any) -> Any:
    """The tensor as an instance of a subclass."""
    try:
        tensor.__class__ = kind
    except TypeError:  # the class has slots
        tensor = tensor.as_subclass(kind)
    return tensor


def has_own_state(kind: type) -> bool:
    """Whether a class of tensors says how to restore its instances."""
    return getattr(kind, "__setstate__", None) is not getattr(_C.Tensor, "__setstate__", None)


def _with_attributes(tensor, state):
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
        if isinstance(tensor, _C.Tensor) and isinstance(slots, dict):
            for name in set(copyreg._slotnames(type(tensor))) & set(slots):  # type: ignore[attr-defined]
                setattr(tensor, name, slots[name])
    if isinstance(tensor, _C.Tensor) and isinstance(state, dict) and all(isinstance(name, str) for name in state):
        tensor.__dict__.update(state)
    return tensor


def parameter_class() -> type | None:
    """nn.Parameter, or None if its module has not been imported."""
    module = sys.modules.get("torch_np.nn.parameter")
    return vars(module).get("Parameter") if module is not None else None
