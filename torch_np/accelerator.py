"""torch_np.accelerator: the machine's GPUs, under vendor-neutral names."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C, cuda as _cuda

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["current_accelerator", "current_device_index", "device_count", "is_available", "set_device_index", "synchronize"]


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
