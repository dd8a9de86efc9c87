"""torch_np.accelerator: the machine's GPUs under names that do not say whose they are."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C, cuda as _cuda

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["current_accelerator", "current_device_index", "device_count", "is_available", "set_device_index", "synchronize"]


def is_available() -> bool:
    """Whether there is a GPU that can be used."""
    return _cuda.is_available()


def device_count() -> int:
    """How many there are."""
    return _cuda.device_count()


def current_accelerator(check_available: bool = False) -> _C.device | None:
    """The kind of the accelerators, `device('cuda')`; None where there is none."""
    return _C.device("cuda") if _cuda.is_available() else None


def current_device_index() -> int:
    """The number of the current one. Errors: RuntimeError where there is none."""
    return _cuda.current_device()


def set_device_index(device: DeviceLike, /) -> None:
    """Makes a GPU the current one. Errors: RuntimeError where there is none."""
    _cuda.set_device(device)


def synchronize(device: DeviceLike | None = None, /) -> None:
    """Waits until a GPU has done all that it was told. Errors: RuntimeError where there is none."""
    _cuda.synchronize(device)
