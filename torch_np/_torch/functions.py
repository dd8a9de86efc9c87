"""Functions of torch_np that are not operators: tensors from buffers and files, control flow, save
and load.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy

from torch_np import _C, cpu, cuda
from torch_np._C import _torch

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["compile", "cond", "detach", "detach_", "from_file", "frombuffer", "get_device_module", "init_num_threads", "load", "save",
           "scalar_tensor"]


def detach(input: _C.Tensor) -> _C.Tensor:  # noqa: A002  (PyTorch's name)
    """Returns a tensor over the memory of `input` that is not part of the autograd graph.

    Args:
      input: Input tensor.

    Shapes: as `input`.
    """
    return input.detach()


def detach_(input: _C.Tensor) -> _C.Tensor:  # noqa: A002
    """Removes `input` from the autograd graph, in place.

    Args:
      input: Tensor that becomes a leaf.

    Shapes: as `input`.
    Errors: RuntimeError for views.
    """
    return input.detach_()


def scalar_tensor(s: Any, *, dtype: _C.dtype | None = None, layout: Any = None, device: DeviceLike | None = None, pin_memory: bool = False,
                  requires_grad: bool = False) -> _C.Tensor:
    """Returns a 0-d tensor of the number `s`.

    Args:
      s: Value of the result.
      dtype: Dtype of the result; None is the default dtype.
      layout: No effect: the result is strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in memory that GPUs read directly.
      requires_grad: Whether the result requires a gradient.

    Shapes: ().
    Errors: RuntimeError if the dtype cannot hold `s`.
    """
    made = _torch.empty((), dtype=dtype, device=device).fill_(s)
    if pin_memory:
        made = made.pin_memory()
    return made.requires_grad_() if requires_grad else made


_numpy_dtypes: dict[Any, numpy.dtype[Any]] = {}  # by dtype


def _numpy_dtype(dtype: Any) -> numpy.dtype[Any]:
    found = _torch.empty((0,), dtype=dtype, device="cpu")._np_compat().dtype
    if type(dtype) is _C.dtype:
        _numpy_dtypes[dtype] = found
    return found


def _check_buffer(buffer: Any, itemsize: int, count: int, offset: int) -> None:
    """Raises the errors of `frombuffer`."""
    try:
        with memoryview(buffer) as view:
            size = view.nbytes
    except TypeError:
        raise ValueError(f"frombuffer(): {type(buffer).__name__} object does not implement Python buffer protocol.") from None
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1")
    if count < 0 and (size - offset) % itemsize:
        raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({itemsize})")
    if count > 0 and offset + count * itemsize > size:
        raise ValueError(f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) must not be greater than "
                         f"actual buffer length ({size} bytes)")


def frombuffer(buffer: Any, *, dtype: _C.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> _C.Tensor:
    """Returns a 1-d tensor on the CPU over the memory of `buffer`, without a copy. A read-only
    buffer gives a read-only tensor.

    Args:
      buffer: Object with Python's buffer protocol.
      dtype: Dtype of the elements.
      count: Number of elements; -1 takes all of them.
      offset: Offset of the first element, in bytes.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`count`,).
    Errors: ValueError if the buffer is too short, does not hold a whole number of elements, or
    `buffer` has no buffer protocol. A read-only buffer warns.
    """
    element = _numpy_dtypes.get(dtype) or _numpy_dtype(dtype)
    try:
        elements = numpy.frombuffer(buffer, element, count, offset)
    except (AttributeError, TypeError, ValueError):
        _check_buffer(buffer, element.itemsize, count, offset)
        raise
    if not len(elements):
        _check_buffer(buffer, element.itemsize, count, offset)
    if not elements.flags.writeable:
        warnings.warn("The given buffer is not writable. The tensor is read-only, so operators that would change it raise.", stacklevel=2)
    made = _torch.from_numpy(elements)
    return made.requires_grad_() if requires_grad else made


def from_file(filename: str, shared: bool | None = None, size: int | None = 0, *, dtype: _C.dtype | None = None,
              device: DeviceLike | None = None, requires_grad: bool = False) -> _C.Tensor:
    """Returns a 1-d tensor over a memory-mapped file.

    Args:
      filename: Path of the file.
      shared: Whether changes are written to the file. If so, the file is created or extended to the
        needed length; if not, it must have that length and stays unchanged.
      size: Number of elements.
      dtype: Dtype of the elements; None is the default dtype.
      device: Device of the result; only the CPU is possible.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`size`,).
    Errors: RuntimeError if the file cannot be opened or is too short, if `size` is not positive,
    and if the device is not the CPU.
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
                raise RuntimeError(f"file <{filename}> has {there} bytes, but {length} were requested")
            os.ftruncate(descriptor, length)
        mapped = mmap.mmap(descriptor, length, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(descriptor)
    return frombuffer(mapped, dtype=of, requires_grad=requires_grad)


def get_device_module(device: DeviceLike | None = None) -> ModuleType:
    """Returns the module of a device type: `torch_np.cuda` or `torch_np.cpu`.

    Args:
      device: A device; None is a GPU if one is available, else the CPU.

    Errors: RuntimeError if `device` is neither a CPU nor a GPU.
    """

    if device is None:
        kind = "cuda" if cuda.is_available() else "cpu"
    else:
        kind = _C.device(device).type
    if kind not in ("cpu", "cuda"):
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch_np.{kind}'.")
    return cuda if kind == "cuda" else cpu


def init_num_threads() -> None:
    """Does nothing: the thread pool is initialised when the package is imported."""


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()) -> Any:
    """Returns `true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`. The function is
    called immediately.

    Args:
      pred: A bool, or a tensor of one element.
      true_fn: Function that is called if `pred` is true.
      false_fn: Function that is called if `pred` is false.
      operands: Tuple or list of arguments for the function.

    Errors: RuntimeError if `pred` is neither a bool nor a tensor of one element, if a function is
    not callable, or if `operands` is not a tuple or list.
    """
    if not isinstance(pred, bool) and not (isinstance(pred, _C.Tensor) and pred.numel() == 1):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got {operands}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "inductor",  # noqa: A001
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """Returns a compiled version of `model`, which records its operators at the first call and
    replays them without Python later. It is `torch_np.compiler.compile`, which describes the
    details.

    Args:
      model: Function or module; without it a decorator is returned.
      fullgraph: Whether to raise RuntimeError if a call cannot be recorded.
      dynamic: None or False; True is not implemented.
      backend: Name of the backend; 'inductor' is the engine itself.
      mode: None or one of the modes of `torch_np.compiler.compile`.
      options: Options for the backend.
      disable: Whether to return `model` unchanged.
    """
    from torch_np.compiler import compile as compiled

    return compiled(model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable)


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True,
         _disable_byteorder_record: bool = False) -> None:
    """Writes tensors, containers of them and other objects to a file in PyTorch's format. It is
    `torch_np.serialization.save`.

    Args:
      obj: Object to save.
      f: Path or file object.
      pickle_module: Module that pickles the object; None is Python's.
      pickle_protocol: Protocol of the pickle.

    Errors: those of `torch_np.serialization.save`.
    """
    from torch_np.serialization import save as save_into

    save_into(obj, f, pickle_module, pickle_protocol, _use_new_zipfile_serialization, _disable_byteorder_record)


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None,
         **pickle_load_args: Any) -> Any:
    """Reads a file that `save`, here or in PyTorch, wrote. Only data is loaded and no code is run,
    unless `weights_only` is False. It is `torch_np.serialization.load`.

    Args:
      f: Path or file object.
      map_location: Device of the loaded tensors, or a mapping or function that selects it.
      pickle_module: Module that reads the pickle; other than Python's only with
        `weights_only=False`.
      weights_only: Whether only tensors and plain containers are accepted; None is True.
      mmap: Whether to map the file into memory instead of reading it.
      pickle_load_args: Further options of `torch_np.serialization.load`.

    Errors: those of `torch_np.serialization.load`.
    """
    from torch_np.serialization import load as load_from

    return load_from(f, map_location, pickle_module, weights_only=weights_only, mmap=mmap, **pickle_load_args)
