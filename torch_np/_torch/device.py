"""The default device of new arrays."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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


def on_device(device: _C.device, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that creates new tensors on a device: the decorator `@device('meta')`.

    Args:
      device: Device of new tensors for which no device is given.
      function: The function.

    Errors: TypeError if `function` is not callable.
    """
    if not callable(function):
        raise TypeError(f"device(): expected a function, got {type(function).__name__}")

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with device:
            return function(*args, **kwargs)
    return wrapped
