"""torch_np.backends.mkldnn: settings of oneDNN that programs may assign. They have no effect: layers
do not use oneDNN; products of 16-bit floats do, where it is installed (docs/building.md).
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "VERBOSE_ON_CREATION", "allow_tf32", "deterministic", "enabled", "flags", "is_acl_available",
           "is_available", "set_flags", "verbose"]

VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2
enabled = deterministic = allow_tf32 = False
fp32_precision = "none"


def is_available() -> bool:
    """Returns False: layers are computed without oneDNN."""
    return False


def is_acl_available() -> bool:
    """Returns False: Arm's library of kernels is not used."""
    return False


def set_flags(_enabled: bool | None = None, _deterministic: bool | None = None, _allow_tf32: bool | None = None,
              _fp32_precision: str | None = "none") -> tuple[Any, ...]:
    """Changes the settings that are not None, and returns those before. They have no effect."""
    global enabled, deterministic, allow_tf32, fp32_precision
    before: tuple[Any, ...] = (enabled, deterministic, allow_tf32, fp32_precision)
    given: tuple[Any, ...] = (_enabled, _deterministic, _allow_tf32, _fp32_precision)
    enabled, deterministic, allow_tf32, fp32_precision = (
        old if new is None else new for old, new in zip(before, given, strict=True))
    return before


@contextlib.contextmanager
def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True,
          fp32_precision: str = "none") -> Iterator[None]:
    """Context manager of settings, which have no effect.

    Args:
      enabled: Whether layers may use oneDNN.
      deterministic: Whether its results are reproducible.
      allow_tf32: Whether its products may round to TF32.
      fp32_precision: Precision of its products.
    """
    before = set_flags(enabled, deterministic, allow_tf32, fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)


class verbose:  # noqa: N801  (PyTorch's name)
    """Context manager that prints the calls of oneDNN. Only VERBOSE_OFF is implemented.

    Args:
      level: VERBOSE_OFF, VERBOSE_ON or VERBOSE_ON_CREATION.

    Errors: NotImplementedError for other levels than VERBOSE_OFF.
    """

    def __init__(self, level: int) -> None:
        if level != VERBOSE_OFF:
            raise NotImplementedError("backends.mkldnn.verbose(): set the environment variable DNNL_VERBOSE=1 before the program starts")
        self.level = level

    def __enter__(self) -> verbose:
        return self

    def __exit__(self, *exception: object) -> None:
        return None
