"""Functions of torch_np that are no operators: tensors from memory and files, control flow, small questions."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch_np import _C, cpu, cuda
from torch_np._C import _torch
from torch_np.numpy import frombuffer as from_numpys_face

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["compile", "cond", "detach", "detach_", "from_file", "frombuffer", "get_device_module", "init_num_threads", "load", "save",
           "scalar_tensor"]


def detach(input: _C.Tensor) -> _C.Tensor:  # noqa: A002  (PyTorch's name)
    """The memory of `input` without its history. Shapes: as `input`."""
    return input.detach()


def detach_(input: _C.Tensor) -> _C.Tensor:  # noqa: A002
    """Makes `input` forget its history. Shapes: as `input`. Errors: RuntimeError for views."""
    return input.detach_()


def scalar_tensor(s: Any, *, dtype: _C.dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False) -> _C.Tensor:
    """A 0-d tensor of the number `s`: of the default dtype, unless `dtype` is given.

    Shapes: ().
    Errors: RuntimeError if it cannot hold `s`.
    """
    made = _torch.empty((), dtype=dtype, device=device).fill_(s)
    return made.requires_grad_() if requires_grad else made


def frombuffer(buffer: Any, *, dtype: _C.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> _C.Tensor:
    """A vector over the memory of `buffer`, an object with Python's buffer protocol: `count` elements of `dtype` (-1: all) from the
    byte `offset` on. No copy is made; a buffer that is read-only gives a tensor that is.

    Shapes: (`count`,).
    Errors: ValueError if there are no such bytes, or not a whole number of elements.
    """
    with memoryview(buffer) as view:
        size = view.nbytes
    itemsize = _torch.empty((0,), dtype=dtype).itemsize
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1")
    if count < 0 and (size - offset) % itemsize:
        raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({itemsize})")
    if count > 0 and offset + count * itemsize > size:
        raise ValueError(f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) must not be greater than "
                         f"actual buffer length ({size} bytes)")
    made = from_numpys_face(buffer, _torch.empty((0,), dtype=dtype)._np_compat().dtype, count, offset=offset)._torch()
    return made.requires_grad_() if requires_grad else made


def from_file(filename: str, shared: bool | None = None, size: int | None = 0, *, dtype: _C.dtype | None = None,
              device: DeviceLike | None = None, requires_grad: bool = False) -> _C.Tensor:
    """A vector of `size` elements over the memory of a mapped file. With `shared`, changes go to the file, which is made as long as it
    must be; else it must have that many elements and stays as it is.

    Shapes: (`size`,).
    Errors: RuntimeError for a file that cannot be opened or is too short.
    """
    import mmap
    import os

    of = _C._get_default_dtype(False) if dtype is None else dtype
    if device is not None and _C.device(device).type != "cpu":
        raise RuntimeError(f"from_file() maps files into the CPU's memory, not {device}")
    length = (size or 0) * _torch.empty((0,), dtype=of).itemsize
    if length <= 0:
        raise RuntimeError(f"from_file() takes a positive size, not {size}")
    try:
        descriptor = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        raise RuntimeError(f"unable to open file <{filename}>: {error}") from error
    try:
        there = os.fstat(descriptor).st_size
        if there < length:
            if not shared:
                raise RuntimeError(f"file <{filename}> has {there} bytes, and {length} were asked for")
            os.ftruncate(descriptor, length)
        mapped = mmap.mmap(descriptor, length, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(descriptor)
    return frombuffer(mapped, dtype=of, requires_grad=requires_grad)


def get_device_module(device: DeviceLike | None = None) -> ModuleType:
    """The module of a kind of device: `torch_np.cuda` or `torch_np.cpu`; without an argument, `cuda` where there is a GPU.

    Errors: RuntimeError for other devices."""
    if device is None:
        kind = "cuda" if cuda.is_available() else "cpu"
    else:
        kind = _C.device(device).type
    if kind not in ("cpu", "cuda"):
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch_np.{kind}'.")
    return cuda if kind == "cuda" else cpu


def init_num_threads() -> None:
    """Does nothing: threads are ready when the package is imported."""


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()) -> Any:
    """`true_fn(*operands)` if `pred`, a bool or a tensor of one element, is true, else `false_fn(*operands)`: run at once.

    Errors: RuntimeError for a `pred` of another kind, a function that cannot be called, or operands that are no tuple or list."""
    if not isinstance(pred, bool) and not (isinstance(pred, _C.Tensor) and pred.numel() == 1):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got {operands}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "inductor",  # noqa: A001
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """`model` recorded and replayed without Python: `torch_np.compiler.compile`."""
    from torch_np.compiler import compile as compiled

    return compiled(model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable)


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True) -> None:
    """Writes tensors, and containers of them, into the file `f` in PyTorch's format: `torch_np.serialization.save`. Errors: as that."""
    from torch_np.serialization import save as save_into

    save_into(obj, f, pickle_module, pickle_protocol, _use_new_zipfile_serialization)


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None,
         **pickle_load_args: Any) -> Any:
    """What `save`, here or in PyTorch, wrote into the file `f`; nothing but data is loaded: `torch_np.serialization.load`.

    Errors: as that.
    """
    from torch_np.serialization import load as load_from

    return load_from(f, map_location, pickle_module, weights_only=weights_only, mmap=mmap, **pickle_load_args)
