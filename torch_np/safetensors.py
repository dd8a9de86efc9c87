"""torch_np.safetensors: tensor files in the safetensors format, with the interface of
`safetensors.torch`.

`from safetensors.torch import load_file` becomes `from torch_np.safetensors import load_file`. The
library `safetensors`, which must be installed, writes the files and checks those that are read.

The module is needed because the library imports PyTorch for its `framework="pt"`. Arrays of
`torch_np.numpy` can be saved with `safetensors.numpy`, unchanged.
"""
from __future__ import annotations

import json
import mmap
import os
from collections.abc import Collection, Iterator
from typing import Any, Self

from torch_np import _C
from torch_np._typing import DeviceLike

try:
    import safetensors as _library

    _TensorSpec = _library.TensorSpec
except (ImportError, AttributeError) as error:
    raise ImportError("torch_np.safetensors needs the library safetensors, 0.8 or newer: pip install 'safetensors>=0.8'") from error

__all__ = ["SafetensorError", "load", "load_file", "load_model", "safe_open", "save", "save_file", "save_model"]

SafetensorError = _library.SafetensorError

_DTYPES = {"F64": _C.float64, "F32": _C.float32, "F16": _C.float16, "BF16": _C.bfloat16, "C64": _C.complex64, "BOOL": _C.bool,
           "I64": _C.int64, "I32": _C.int32, "I16": _C.int16, "I8": _C.int8,
           "U64": _C.uint64, "U32": _C.uint32, "U16": _C.uint16, "U8": _C.uint8}
_NAMES = {dtype: str(dtype).rpartition(".")[2] for dtype in _DTYPES.values()}


# ------------------------------------------------------------------------------------------------------- tensors in one memory


def _span(tensor):
    """Returns the address of the tensor's first byte and that after its last."""
    first = tensor.data_ptr()
    if not tensor.numel():
        return first, first
    return first, first + (sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride())) + 1) * tensor.element_size()


def _sharing(tensors: dict[str, _C.Tensor]) -> list[list[str]]:
    """Returns the names of tensors whose memory overlaps, in groups of two or more."""
    storages: dict[Any, list[tuple[int, int, str]]] = {}
    for name, tensor in tensors.items():
        if not tensor.is_meta and tensor.numel():
            storages.setdefault((tensor.device, _C._storage_id(tensor)), []).append((*_span(tensor), name))
    groups = []
    for spans in storages.values():
        behind = -1
        for first, last, name in sorted(spans):
            if first >= behind:
                groups.append([name])
            else:
                groups[-1].append(name)
            behind = max(behind, last)
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _covers_its_storage(tensor):
    return tensor.storage_offset() == 0 and tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()


def _dropped_names(tensors: dict[str, _C.Tensor], preferred: Collection[str] = ()) -> dict[str, list[str]]:
    """For each group of tensors that share memory, maps the name that is saved to the names that
    are not.
    """
    dropped = {}
    for group in _sharing(tensors):
        whole = [name for name in group if _covers_its_storage(tensors[name])]
        if not whole:
            raise RuntimeError(f"the tensors {group} share memory, and none of them covers all of it: saving one would lose the others. Save copies of them with save_file()")
        kept = next((name for name in whole if name in preferred), whole[0])
        dropped[kept] = [name for name in group if name != kept]
    return dropped


# --------------------------------------------------------------------------------------------------------------------- writing


def _specified(function: str, tensors: dict[str, _C.Tensor], kept_alive: list[_C.Tensor]) -> dict[str, Any]:
    """Returns the library's descriptions of tensors: dtypes, shapes and addresses by name."""
    if not isinstance(tensors, dict):
        raise ValueError(f"{function}(): tensors must be a dict of names and Tensors, not {type(tensors).__name__}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, _C.Tensor):
            raise ValueError(f"{function}(): tensors[{name!r}] must be a Tensor, not {type(tensor).__name__}")
    if groups := _sharing(tensors):
        raise RuntimeError(f"{function}(): some tensors share memory, which would be written several times and no longer be shared when it is loaded: {groups}. save_model() saves one of each group")
    specified = {}
    for name, tensor in tensors.items():
        if tensor.dtype not in _NAMES:
            raise ValueError(f"{function}(): tensors[{name!r}] has dtype {tensor.dtype}, which the format does not have")
        if tensor.is_meta:
            raise ValueError(f"{function}(): tensors[{name!r}] is on the device meta and has no numbers")
        if not tensor.is_contiguous():
            raise ValueError(f"{function}(): tensors[{name!r}], of shape {tuple(tensor.shape)} and strides {tensor.stride()}, is not "
                             "contiguous: save tensors[...].contiguous(), or its base tensor")
        held = tensor.detach().cpu()
        kept_alive.append(held)
        specified[name] = _TensorSpec(dtype=_NAMES[tensor.dtype], shape=list(tensor.shape), data_ptr=held.data_ptr() if held.numel() else 0,
                                      data_len=held.numel() * held.element_size())
    return specified


def save(tensors: dict[str, _C.Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Returns the bytes of a file with `tensors`. Tensors on a GPU are copied to the CPU.

    Args:
      tensors: Tensors by name; contiguous.
      metadata: Further strings by name.

    Shapes: any.
    Dtypes: all but complex128.
    Errors: ValueError unless `tensors` is a dict of Tensors, and for tensors that are not
    contiguous or have an unsupported dtype; RuntimeError for tensors that share memory.
    Source: https://github.com/huggingface/safetensors, its format.
    """
    kept_alive: list[_C.Tensor] = []
    return bytes(_library.serialize(_specified("save", tensors, kept_alive), metadata=metadata))


def save_file(tensors: dict[str, _C.Tensor], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None) -> None:
    """Writes a file with `tensors`. Tensors on a GPU are copied to the CPU.

    Args:
      tensors: Tensors by name; contiguous.
      filename: Path of the file.
      metadata: Further strings by name.

    Shapes: any.
    Dtypes: all but complex128.
    Errors: ValueError unless `tensors` is a dict of Tensors, and for tensors that are not
    contiguous or have an unsupported dtype; RuntimeError for tensors that share memory;
    SafetensorError if the file cannot be written.
    """
    kept_alive: list[_C.Tensor] = []
    _library.serialize_file(_specified("save_file", tensors, kept_alive), filename, metadata=metadata)


def save_model(model: Any, filename: str | os.PathLike[str], metadata: dict[str, str] | None = None, force_contiguous: bool = True) -> None:
    """Writes the `state_dict()` of a module. Of tensors that share memory only one is written, and
    the metadata map the names of the others to it.

    Args:
      model: An nn.Module.
      filename: Path of the file.
      metadata: Further strings by name.
      force_contiguous: Whether to write copies of tensors that are not contiguous; otherwise they
        raise ValueError.

    Errors: those of `save_file`; RuntimeError for tensors that share memory if none of them covers
    all of it.
    """
    tensors = dict(model.state_dict())
    for kept, names in _dropped_names(tensors).items():
        for name in names:
            metadata = {name: kept, **(metadata or {})}
            del tensors[name]
    if force_contiguous:
        tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(tensors, filename, metadata)


# --------------------------------------------------------------------------------------------------------------------- reading


def _dtype_of(name, code):
    if code not in _DTYPES:
        raise NotImplementedError(f"the tensor {name!r} has dtype {code}, which torch_np does not hold")
    return _DTYPES[code]


def _viewed(memory, dtype, shape, first=0):
    """Returns a tensor over the bytes of `memory` from `first` on."""
    import torch_np

    count = 1
    for n in shape:
        count *= n
    if not count:
        return torch_np.empty(shape, dtype=dtype, device="cpu")
    tensor = torch_np.frombuffer(memory, dtype=dtype, count=count, offset=first).reshape(shape)
    # unaligned data, which the library does not write, is copied
    return tensor.clone() if tensor.data_ptr() % tensor.element_size() else tensor


class _Slice:
    """A tensor of a file that is read when it is indexed: `f.get_slice(name)[:, 2:]`."""

    def __init__(self, file: safe_open, name: str) -> None:
        self._file, self._name = file, name
        self._described = file._file.get_slice(name)

    def get_shape(self) -> list[int]:
        """Returns the shape of the whole tensor."""
        return list(self._described.get_shape())

    def get_dtype(self) -> str:
        """Returns the dtype in the format's notation, such as 'F32'."""
        return self._described.get_dtype()

    def __getitem__(self, key: Any) -> _C.Tensor:
        return self._file._cpu_tensor(self._name)[key].to(self._file._device)


class safe_open:  # noqa: N801  (the library's name)
    """An open file of tensors, each of which is read on request. It is a context manager.

    Args:
      filename: Path of the file.
      framework: Must be "pt", the default.
      device: Device of the tensors.
      backend: "mmap" for tensors on the CPU that are views of the mapped file, whose changes stay
        in memory; "pread" for copies.

    Errors: ValueError if `framework` is not "pt" or `backend` is unknown; SafetensorError for
    damaged files; FileNotFoundError; NotImplementedError for a tensor with a dtype that is not
    supported (8-bit floats).
    """

    def __init__(self, filename: str | os.PathLike[str], framework: str = "pt", device: DeviceLike = "cpu", *, backend: str = "mmap") -> None:
        if framework not in ("pt", "torch", "pytorch"):
            raise ValueError(f"safe_open(): framework must be 'pt', not {framework!r}; safetensors.safe_open has others")
        if backend not in ("mmap", "pread"):
            raise ValueError(f"safe_open(): backend must be 'mmap' or 'pread', not {backend!r}")
        self._device = _C.device(device) if not isinstance(device, int) else _C.device("cuda", device)
        # the library checks the header
        self._file: Any = _library.safe_open(filename, framework="np", backend=backend)
        with open(filename, "rb") as file:
            self._memory: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        size = int.from_bytes(self._memory[:8], "little")
        self._header: dict[str, Any] = json.loads(self._memory[8:8 + size])
        self._start, self._copies = 8 + size, backend == "pread"

    def _cpu_tensor(self, name):
        if self._file is None:
            raise SafetensorError("the file is closed")
        entry = self._header.get(name) if name != "__metadata__" else None
        if entry is None:
            raise SafetensorError(f"File does not contain tensor {name}")
        first, last = (self._start + offset for offset in entry["data_offsets"])
        dtype = _dtype_of(name, entry["dtype"])
        if self._copies:
            return _viewed(bytearray(memoryview(self._memory)[first:last]), dtype, entry["shape"])
        return _viewed(self._memory, dtype, entry["shape"], first)

    def keys(self) -> list[str]:
        """Returns the names of the tensors."""
        return list(self._file.keys())

    def offset_keys(self) -> list[str]:
        """Returns the names of the tensors, in the order of their bytes."""
        return list(self._file.offset_keys())

    def metadata(self) -> dict[str, str] | None:
        """Returns the strings that were saved with the tensors, by name; None if there are none."""
        return self._file.metadata()

    def get_tensor(self, name: str) -> _C.Tensor:
        """Reads the tensor with the given name.

        Args:
          name: Name of the tensor.

        Shapes: that of the saved tensor.
        Errors: SafetensorError if the name does not exist.
        """
        return self._cpu_tensor(name).to(self._device)

    def get_tensors(self) -> dict[str, _C.Tensor]:
        """Reads all tensors, by name."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def get_slice(self, name: str) -> _Slice:
        """Returns a lazy tensor, to be indexed: only the indexed part is copied to the device.

        Args:
          name: Name of the tensor.

        Errors: SafetensorError if the name does not exist.
        """
        return _Slice(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file = self._memory = None  # tensors keep the mapping that they view alive


def load_file(filename: str | os.PathLike[str], device: DeviceLike = "cpu", *, backend: str = "mmap") -> dict[str, _C.Tensor]:
    """Reads the tensors of a file, by name.

    Args:
      filename: Path of the file.
      device: Device of the tensors.
      backend: "mmap" for views of the mapped file, "pread" for copies.

    Shapes: those of the saved tensors.
    Errors: ValueError if `backend` is neither; SafetensorError for damaged files;
    FileNotFoundError; NotImplementedError for a dtype that is not supported (8-bit floats).
    """
    with safe_open(filename, framework="pt", device=device, backend=backend) as file:
        return file.get_tensors()


def load(data: bytes) -> dict[str, _C.Tensor]:
    """Reads the tensors from the bytes of a file, by name. They are on the CPU.

    Args:
      data: Contents of a file.

    Shapes: those of the saved tensors.
    Errors: SafetensorError for damaged files; NotImplementedError for a dtype that is not supported
    (8-bit floats).
    """
    found = {}
    for name, entry in _library.deserialize(data):
        found[name] = _viewed(bytearray(entry["data"]), _dtype_of(name, entry["dtype"]), entry["shape"])
    return found


def load_model(model: Any, filename: str | os.PathLike[str], strict: bool = True, device: DeviceLike = "cpu", *,
               backend: str = "mmap") -> tuple[set[str], list[str]]:
    """Loads a file into a module. Returns the names that the file lacks and those that the model
    lacks. A name whose tensor shares memory with a loaded one is not missing.

    Args:
      model: An nn.Module.
      filename: Path of the file.
      strict: Whether missing names raise RuntimeError.
      device: Device of the loaded tensors.
      backend: "mmap" to map the file into memory, "pread" to read it.

    Errors: RuntimeError if `strict` and a name is missing; otherwise those of `load_file`.
    """
    tensors = load_file(filename, device, backend=backend)
    dropped = _dropped_names(model.state_dict(), preferred=tensors.keys())
    missing_names, unexpected = model.load_state_dict(tensors, strict=False)
    missing, unexpected = set(missing_names), list(unexpected)
    for names in dropped.values():
        unexpected += [name for name in names if name not in missing]
        missing.difference_update(names)
    if strict and (missing or unexpected):
        lines = [f"Error(s) in loading state_dict for {type(model).__name__}:"]
        for what, names in (("Missing", sorted(missing)), ("Unexpected", sorted(unexpected))):
            if names:
                lines.append(f"    {what} key(s) in state_dict: {', '.join(f'{chr(34)}{name}{chr(34)}' for name in names)}")
        raise RuntimeError("\n".join(lines))
    return missing, unexpected
