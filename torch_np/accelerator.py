"""torch_np.accelerator: the machine's GPUs, under vendor-neutral names."""
from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from torch_np import _C, cuda as _cuda
from torch_np._absent import absent_class, absent_function

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = [
    "Graph", "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index",
    "empty_cache", "empty_host_cache", "get_device_capability", "get_memory_info", "is_available", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "set_device_idx", "set_device_index", "set_stream", "synchronize",
]


def is_available() -> bool:
    """Whether a usable GPU exists."""
    return _cuda.is_available()


def device_count() -> int:
    """Returns the number of usable GPUs."""
    return _cuda.device_count()


def current_accelerator(check_available: bool = False) -> _C.device | None:
    """Returns the device type of the accelerators, `device('cuda')`; None without a GPU.

    Args:
      check_available: Ignored: the availability is always checked.
    """
    return _C.device("cuda") if _cuda.is_available() else None


def current_device_index() -> int:
    """Returns the index of the current GPU. Errors: RuntimeError without a GPU."""
    return _cuda.current_device()


def set_device_index(device: DeviceLike, /) -> None:
    """Makes a GPU the current one.

    Args:
      device: The GPU.

    Errors: RuntimeError without a GPU.
    """
    _cuda.set_device(device)


def synchronize(device: DeviceLike | None = None, /) -> None:
    """Waits until all work queued on a GPU is done.

    Args:
      device: The GPU; None is the current GPU.

    Errors: RuntimeError without a GPU.
    """
    _cuda.synchronize(device)


# PyTorch's further spellings
current_device_idx = current_device_index
set_device_idx = set_device_index


class device_index:  # noqa: N801  (PyTorch's name)
    """A context with another current GPU.

    Args:
      device: Index of the GPU; None changes nothing.

    Errors: RuntimeError without a GPU, unless `device` is None.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx, self.prev_idx = device, -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = _cuda.current_device()
            _cuda.set_device(self.idx)

    def __exit__(self, *exception: object) -> None:
        if self.idx is not None:
            _cuda.set_device(self.prev_idx)


def current_stream(device: DeviceLike | None = None, /) -> _cuda.Stream:
    """Returns the current stream of a GPU.

    Args:
      device: The GPU; None is the current one.

    Errors: RuntimeError without a GPU.
    """
    return _cuda.current_stream(device)


def set_stream(stream: _cuda.Stream) -> None:
    """Makes a stream, and its GPU, the current one.

    Args:
      stream: The stream.

    Errors: RuntimeError without a GPU.
    """
    _cuda.set_stream(stream)


def empty_cache() -> None:
    """Returns the GPUs' memory that no tensor uses to the driver."""
    if _cuda.is_available():
        _cuda.empty_cache()


def empty_host_cache() -> None:
    """Returns unused pinned memory to the system: it is not kept, so there is nothing to do."""


def get_device_capability(device: DeviceLike | None = None, /) -> dict[str, Any]:
    """Returns the dtypes that a GPU computes with: {'supported_dtypes': set of them}.

    Args:
      device: The GPU; None is the current one.

    Errors: RuntimeError without a GPU.
    """
    _cuda.get_device_capability(device)  # raises without a GPU
    names = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int32", "int64", "uint8", "uint16",
             "uint32", "uint64", "bool")
    return {"supported_dtypes": {getattr(_C, name) for name in names}}


def get_memory_info(device_index: DeviceLike | None = None, /) -> tuple[int, int]:
    """Returns the free and the total memory of a GPU in bytes.

    Args:
      device_index: The GPU; None is the current one.

    Errors: RuntimeError without a GPU.
    """
    return _cuda.mem_get_info(device_index)


def memory_stats(device_index: DeviceLike | None = None, /) -> dict[str, Any]:
    """Returns statistics of a GPU's memory by name; an empty dictionary without a GPU.

    Args:
      device_index: The GPU; None is the current one.
    """
    return OrderedDict(sorted(_cuda.memory_stats(device_index).items())) if _cuda.is_available() else OrderedDict()


def memory_allocated(device_index: DeviceLike | None = None, /) -> int:
    """Returns the bytes of a GPU's memory that tensors use; 0 without a GPU.

    Args:
      device_index: The GPU; None is the current one.
    """
    return _cuda.memory_allocated(device_index) if _cuda.is_available() else 0


def max_memory_allocated(device_index: DeviceLike | None = None, /) -> int:
    """Returns the most bytes that tensors have used since `reset_peak_memory_stats`.

    Args:
      device_index: The GPU; None is the current one.
    """
    return _cuda.max_memory_allocated(device_index) if _cuda.is_available() else 0


def memory_reserved(device_index: DeviceLike | None = None, /) -> int:
    """Returns the bytes of a GPU's memory that the process holds; 0 without a GPU.

    Args:
      device_index: The GPU; None is the current one.
    """
    return _cuda.memory_reserved(device_index) if _cuda.is_available() else 0


def reset_peak_memory_stats(device_index: DeviceLike | None = None, /) -> None:
    """Sets the maxima of a GPU's memory to the present values.

    Args:
      device_index: The GPU; None is the current one.
    """
    if _cuda.is_available():
        _cuda.reset_peak_memory_stats(device_index)


_MODULE = "torch_np.accelerator"
max_memory_reserved = absent_function("max_memory_reserved", "the maximum of held memory is not counted; use memory_reserved()", _MODULE)
reset_accumulated_memory_stats = absent_function(
    "reset_accumulated_memory_stats", "counts of allocations since the start of the process stay; use reset_peak_memory_stats()", _MODULE)
Graph: Any = absent_class("Graph", "calls are not captured by hand; torch_np.compile launches its plans as graphs of the GPU", _MODULE)
