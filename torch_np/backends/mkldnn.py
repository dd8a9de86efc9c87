"""torch_np.backends.mkldnn: oneDNN. Layers do not use it; products of 16-bit floats do, where it is
installed (docs/building.md), and no setting of this module changes that.
"""
from __future__ import annotations

from typing import Any

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "VERBOSE_ON_CREATION", "allow_tf32", "deterministic", "enabled", "flags", "is_acl_available",
           "is_available", "set_flags", "verbose"]

VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2
enabled = deterministic = allow_tf32 = False


def is_available() -> bool:
    """Returns False: layers are computed without oneDNN."""
    return False


def is_acl_available() -> bool:
    """Returns False: Arm's library of kernels is not used."""
    return False


def set_flags(_enabled: bool | None = None, _deterministic: bool | None = None, _allow_tf32: bool | None = None,
              _fp32_precision: str | None = "none") -> tuple[Any, ...]:
    """Returns the settings, which are all off. None can be switched on.

    Errors: NotImplementedError for a setting that is on.
    """
    if _enabled or _deterministic or _allow_tf32 or _fp32_precision not in (None, "none", "ieee"):
        raise NotImplementedError("backends.mkldnn: layers are computed without oneDNN; leave its settings off")
    return enabled, deterministic, allow_tf32, "none"


class flags:  # noqa: N801  (PyTorch's name)
    """Context manager of settings. All must be off.

    Args:
      enabled: Whether layers use oneDNN.
      deterministic: Whether its results are reproducible.
      allow_tf32: Whether its products may round to TF32.
      fp32_precision: Precision of its products: "none" or "ieee".

    Errors: NotImplementedError for a setting that is on.
    """

    def __init__(self, enabled: bool = False, deterministic: bool = False, allow_tf32: bool = False, fp32_precision: str = "none") -> None:
        set_flags(enabled, deterministic, allow_tf32, fp32_precision)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None


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
