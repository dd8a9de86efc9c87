"""The default device of new arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike


def get_default_device() -> _C.device:
    """Returns the device of new arrays for which no device is given; it is the CPU at first."""
    return _C._get_default_device()


def set_default_device(device: DeviceLike | None) -> None:
    """Sets the device of new arrays for which no device is given, for the whole process.

    Args:
      device: Default device; None is the CPU.

    Errors: RuntimeError if the device does not exist.
    """
    _C._set_default_device(device)
