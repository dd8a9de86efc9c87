"""torch_np.backends.nnpack: a library of convolutions that is not used. Programs may assign its setting, which has no effect."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["flags", "is_available", "set_flags"]

_enabled = False


def is_available() -> bool:
    """Returns False: convolutions are computed without NNPACK."""
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Changes the setting, and returns the one before. It has no effect."""
    before = globals()["_enabled"]
    globals()["_enabled"] = _enabled
    return (before,)


@contextlib.contextmanager
def flags(enabled: bool = False) -> Iterator[None]:
    """Context manager of the setting, which has no effect.

    Args:
      enabled: Whether convolutions may use NNPACK.
    """
    before = set_flags(enabled)
    try:
        yield
    finally:
        set_flags(*before)
