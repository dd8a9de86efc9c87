"""The device of new arrays. Where arrays are and go is said by their methods."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike


def get_default_device() -> _C.device:
    """Where new arrays are made unless something else says where; the CPU at first."""
    return _C._get_default_device()


def set_default_device(device: DeviceLike | None) -> None:
    """Makes new arrays on `device` unless something else says where; None: on the CPU again. For the whole process.

    Errors: RuntimeError where there is no such device."""
    _C._set_default_device(device)
