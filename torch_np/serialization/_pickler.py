"""Pickler: writes objects as a pickle of protocol 2 with PyTorch's representation of tensors."""
from __future__ import annotations

import copyreg
import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pickle import PicklingError
from typing import Any

import numpy

from torch_np import _C
from torch_np._torch.storage import TypedStorage, UntypedStorage
from torch_np.serialization import _objects
from torch_np.serialization._globals import DTYPES, STORAGES, parameter_class
from torch_np.serialization._locations import location_tag

_STORAGE_OF = {dtype: name for name, dtype in STORAGES.items()}
_NAME_OF = {dtype: name for name, dtype in DTYPES.items()}
_BATCH = 1000


class Pickler:
    """Writes one object; an object with several references is written once."""

    def __init__(self, legacy: bool = False) -> None:
        self._legacy = legacy  # the identifiers of storages in the first file format have one more part
        self._dtypes: dict[str, _C.dtype] = {}  # those of the storages' keys
        self._out = bytearray(pickle.PROTO + b"\2")
        # Object ids; holding the objects keeps the ids valid.
        self._memo: dict[int, tuple[int, Any]] = {}
        self._keys: dict[int, tuple[str, _C.Tensor]] = {}

    def dump(self, obj: Any) -> bytes:
        """The pickle of an object.

        Errors: PicklingError for unsupported objects.
        """
        try:
            self._save(obj)
        except RecursionError as error:
            raise PicklingError("save(): the object is nested too deeply") from error
        return bytes(self._out + pickle.STOP)

    def storages(self) -> Iterator[tuple[str, memoryview]]:
        """The key and the bytes of each storage."""
        for key, held in self._keys.values():
            yield key, memoryview(_C._numpy_view(held.cpu()).data)

    def itemsize(self, key: str) -> int:
        """The size of an element of a storage."""
        return self._dtypes[key].itemsize

    # --- opcodes

    def _remember(self, obj):
        index = len(self._memo)
        self._memo[id(obj)] = index, obj
        self._out += pickle.BINPUT + bytes([index]) if index < 256 else pickle.LONG_BINPUT + struct.pack("<I", index)

    def _recall(self, obj):
        found = self._memo.get(id(obj))
        if found is None:
            return False
        index = found[0]
        self._out += pickle.BINGET + bytes([index]) if index < 256 else pickle.LONG_BINGET + struct.pack("<I", index)
        return True

    def _global(self, module, name):
        self._out += pickle.GLOBAL + f"{module}\n{name}\n".encode()

    def _call(self, module, name, args):
        self._global(module, name)
        self._save(args)
        self._out += pickle.REDUCE

    def _text(self, value):
        data = value.encode("utf-8", "surrogatepass")
        self._out += pickle.BINUNICODE + struct.pack("<I", len(data)) + data

    def _integer(self, value):
        if 0 <= value < 256:
            self._out += pickle.BININT1 + bytes([value])
        elif 0 <= value < 65536:
            self._out += pickle.BININT2 + struct.pack("<H", value)
        elif -2**31 <= value < 2**31:
            self._out += pickle.BININT + struct.pack("<i", value)
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            self._out += (pickle.LONG1 + bytes([len(data)]) if len(data) < 256 else pickle.LONG4 + struct.pack("<i", len(data))) + data

    def _items(self, items, each, opcode):
        for at in range(0, len(items), _BATCH):
            self._out += pickle.MARK
            for item in items[at:at + _BATCH]:
                each(item)
            self._out += opcode

    def _pair(self, pair):
        self._save(pair[0])
        self._save(pair[1])

    # --- by type

    def _save(self, obj):
        if obj is None or isinstance(obj, bool):
            self._out += pickle.NONE if obj is None else pickle.NEWTRUE if obj else pickle.NEWFALSE
        elif isinstance(obj, int) and type(obj).__module__ in ("builtins",):
            self._integer(obj)
        elif type(obj) is float or isinstance(obj, numpy.float64):  # NumPy's is read as a float
            self._out += pickle.BINFLOAT + struct.pack(">d", obj)
        elif type(obj) is _C.dtype:
            self._global("torch", _NAME_OF[obj])
        elif self._recall(obj):
            pass
        elif type(obj) is str or isinstance(obj, numpy.str_):
            self._text(str(obj))
            self._remember(obj)
        elif _C._is_sparse(obj):
            self._sparse(obj)
        elif _C._is_array(obj):
            self._tensor(obj)
        else:
            self._container(obj)

    def _container(self, obj):
        kind: Any = type(obj)
        if kind is list:
            self._out += pickle.EMPTY_LIST
            self._remember(obj)
            self._items(obj, self._save, pickle.APPENDS)
        elif kind is dict:
            self._out += pickle.EMPTY_DICT
            self._remember(obj)
            self._items(list(obj.items()), self._pair, pickle.SETITEMS)
        elif kind is tuple:
            self._tuple(obj)
        elif kind is OrderedDict:
            self._call("collections", "OrderedDict", ())
            self._remember(obj)
            self._items(list(obj.items()), self._pair, pickle.SETITEMS)
            if vars(obj).get("_metadata") is not None:  # set on a state_dict
                self._save({"_metadata": vars(obj)["_metadata"]})
                self._out += pickle.BUILD
        elif kind is Counter:
            self._call("collections", "Counter", (dict(obj),))
            self._remember(obj)
        else:
            self._other(obj, kind)

    def _tuple(self, obj):
        if not obj:
            self._out += pickle.EMPTY_TUPLE
            return
        if len(obj) > 3:
            self._out += pickle.MARK
        for item in obj:
            self._save(item)
        if not self._recall_late(obj):
            self._out += {1: pickle.TUPLE1, 2: pickle.TUPLE2, 3: pickle.TUPLE3}.get(len(obj), pickle.TUPLE)
            self._remember(obj)

    def _recall_late(self, obj):
        """Handles a tuple that one of its own items refers to: it is in the memo already, so its
        items are popped and the memo entry is used.
        """
        if id(obj) not in self._memo:
            return False
        self._out += pickle.POP_MARK if len(obj) > 3 else pickle.POP * len(obj)
        return self._recall(obj)

    def _other(self, obj, kind):
        if kind is bytes:
            self._call("_codecs", "encode", (obj.decode("latin1"), "latin1"))
        elif kind is bytearray:
            self._call("__builtin__", "bytearray", (bytes(obj),))
        elif kind is complex:
            self._call("__builtin__", "complex", (obj.real, obj.imag))
        elif kind in (set, frozenset):
            self._call("__builtin__", kind.__name__, (list(obj),))
        elif kind is _C.Size:
            self._call("torch", "Size", (tuple(obj),))
        elif kind is _C.device:
            self._call("torch", "device", (obj.type,) if obj.index is None else (obj.type, obj.index))
        elif kind is UntypedStorage:
            self._storage(obj._bytes, None)
        elif kind is TypedStorage:
            self._storage(obj.untyped()._bytes, obj.dtype)
        else:
            _objects.save(self, obj)
            return
        self._remember(obj)

    def _tensor(self, obj):
        tensor = obj if isinstance(obj, _C.Tensor) else obj._torch()
        attributes = dict(vars(obj)) if isinstance(obj, _C.Tensor) else {}
        parameter = parameter_class()
        is_parameter = parameter is not None and isinstance(obj, parameter)
        if is_parameter:
            name, args = self._parameter_call(tensor, {} if type(obj) is not parameter else attributes)
        else:
            name, args = self._view_call(tensor)
        if type(obj) in (parameter, _C.Tensor, _C.ndarray) and (is_parameter or not attributes):
            self._global("torch._utils", name)
            args()
        else:  # a subclass, or a tensor with attributes
            self._global("torch._tensor", "_rebuild_from_type_v2")
            self._out += pickle.MARK
            self._global("torch._utils", name)
            self._out += _objects.named(type(obj)) if isinstance(obj, _C.Tensor) else b"ctorch\nTensor\n"
            args()
            self._save(_state(obj) if isinstance(obj, _C.Tensor) else attributes)
            self._out += pickle.TUPLE
        self._out += pickle.REDUCE
        self._remember(obj)

    def _sparse(self, obj):
        from torch_np.sparse._copies import described

        layout, data = described(obj)
        parameter = parameter_class()
        is_parameter = parameter is not None and isinstance(obj, parameter)
        if is_parameter:
            self._global("torch._utils", "_rebuild_parameter")
            self._out += pickle.MARK
        self._global("torch._utils", "_rebuild_sparse_tensor")
        self._out += pickle.MARK
        self._call("torch.serialization", "_get_layout", (f"torch.{str(layout).partition('.')[2]}",))
        self._save(data)
        self._out += pickle.TUPLE + pickle.REDUCE
        if is_parameter:
            self._save(bool(obj.requires_grad))
            self._save(OrderedDict())
            self._out += pickle.TUPLE + pickle.REDUCE
        self._remember(obj)

    def _parameter_call(self, tensor, attributes):
        """The function in the file that makes a parameter, and a function that writes its
        arguments.
        """
        def args():
            self._out += pickle.MARK
            name, of_view = self._view_call(tensor.detach())
            self._global("torch._utils", name)
            of_view()
            self._out += pickle.REDUCE
            self._save(bool(tensor.requires_grad))
            self._save(OrderedDict())
            if attributes:
                self._save(attributes)
            self._out += pickle.TUPLE
        return "_rebuild_parameter_with_state" if attributes else "_rebuild_parameter", args

    def _view_call(self, tensor):
        """The function in the file that makes a tensor, and a function that writes its arguments.
        """
        wants = bool(tensor.requires_grad)
        if tensor.is_meta:
            described = tensor.dtype, tuple(tensor.shape), tensor.stride(), wants
            return "_rebuild_meta_tensor_no_storage", lambda: self._save(described)
        held = tensor.detach()
        if not _is_plain(held):
            held = held.clone().contiguous()
        dtype = held.dtype
        named = dtype in _STORAGE_OF

        def args():
            self._out += pickle.MARK
            self._storage(_C._storage_bytes(held), dtype if named else None)
            value: Any
            for value in (held.storage_offset(), tuple(held.shape), tuple(held.stride()), wants, OrderedDict()):
                self._save(value)
            if not named:
                self._save(dtype)
            self._out += pickle.TUPLE
        return "_rebuild_tensor_v2" if named else "_rebuild_tensor_v3", args

    def _storage(self, held, dtype):
        key, _ = self._keys.setdefault(_C._storage_id(held), (str(len(self._keys)), held))
        if self._dtypes.setdefault(key, dtype or _C.uint8) != (dtype or _C.uint8) and held.numel():
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        self._out += pickle.MARK
        self._text("storage")
        if dtype is None:
            self._global("torch.storage", "UntypedStorage")
        else:
            self._global("torch", _STORAGE_OF[dtype])
        self._text(key)
        self._text(location_tag(UntypedStorage._of(held)))
        self._integer(held.numel() // (1 if dtype is None else dtype.itemsize))
        self._out += (pickle.NONE if self._legacy else b"") + pickle.TUPLE + pickle.BINPERSID


def _state(tensor):
    """What a tensor of a subclass keeps: its attributes, those in slots, or what its class says."""
    kind = type(tensor)
    if vars(object)["__getstate__"] is not getattr(kind, "__getstate__"):
        return tensor.__getstate__()
    slots = copyreg._slotnames(kind)  # type: ignore[attr-defined]
    held = {name: getattr(tensor, name) for name in slots if hasattr(tensor, name)}
    return (dict(vars(tensor)), held) if held else dict(vars(tensor))


def _is_plain(tensor):
    """Whether strides and offset are non-negative multiples of the item size from the start of the
    storage, as the file format requires.
    """
    try:
        strides = tensor.stride()
    except NotImplementedError:
        return False
    start = _C._storage_bytes(tensor).data_ptr()
    return all(s >= 0 for s in strides) and tensor.data_ptr() - start == tensor.storage_offset() * tensor.itemsize
