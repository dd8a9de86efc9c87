"""torch_np.backends.cudnn: settings of cuDNN that programs may assign. They have no effect, as
cuDNN is not used.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled", "flags", "is_acceptable", "is_available", "set_flags",
           "version"]

enabled = False
benchmark = False
benchmark_limit: int | None = None
deterministic = True
allow_tf32 = False
fp32_precision = "none"


def is_available() -> bool:
    """False: convolutions on GPUs use kernels of torch_np, not cuDNN."""
    return False


def is_acceptable(tensor: Any) -> bool:
    """Returns False: no tensor is computed by cuDNN.

    Args:
      tensor: Any tensor.
    """
    return False


def version() -> None:
    """None, as cuDNN is not used."""


def set_flags(_enabled: bool | None = None, _benchmark: bool | None = None, _benchmark_limit: int | None = None,
              _deterministic: bool | None = None, _allow_tf32: bool | None = None,
              _fp32_precision: str | None = "none") -> tuple[Any, ...]:
    """Changes the settings that are not None, and returns those before. They have no effect. Without
    cuDNN there is no limit to set.
    """
    global enabled, benchmark, deterministic, allow_tf32, fp32_precision
    before: tuple[Any, ...] = (enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision)
    given: tuple[Any, ...] = _enabled, _benchmark, _deterministic, _allow_tf32, _fp32_precision
    enabled, benchmark, deterministic, allow_tf32, fp32_precision = (
        old if new is None else new for old, new in zip((*before[:2], *before[3:]), given, strict=True))
    return before


@contextlib.contextmanager
def flags(enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
          allow_tf32: bool = True, fp32_precision: str = "none") -> Iterator[None]:
    """Context manager of settings, which have no effect.

    Args:
      enabled: Whether layers may use cuDNN.
      benchmark: Whether it measures its algorithms.
      benchmark_limit: How many algorithms it measures.
      deterministic: Whether its results are reproducible.
      allow_tf32: Whether its products may round to TF32.
      fp32_precision: Precision of its products.
    """
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)
