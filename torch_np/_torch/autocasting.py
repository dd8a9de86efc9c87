"""State of automatic mixed precision, which is never on: see torch_np.amp."""
from __future__ import annotations

from typing import Any

from torch_np import _C

__all__ = [
    "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_cpu_dtype", "get_autocast_dtype",
    "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled", "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype", "set_autocast_cpu_enabled", "set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype"]

_nesting = 0
_cache_enabled = True
_dtypes: dict[str, Any] = {"cuda": _C.float16}
_MISSING = "mixed precision is not implemented: convert the model with .to(torch_np.bfloat16), or pass enabled=False"


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Returns False: operators are never cast.

    Args:
      device_type: Type of device.
    """
    return False


def is_autocast_cpu_enabled() -> bool:
    """Returns False: operators are never cast."""
    return False


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Accepts False.

    Args:
      device_type: Type of device; or `enabled` for 'cuda'.
      enabled: Whether operators are cast.

    Errors: NotImplementedError for True.
    """
    if device_type is True or enabled:
        raise NotImplementedError(f"set_autocast_enabled(): {_MISSING}")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Accepts False.

    Args:
      enabled: Whether operators on the CPU are cast.

    Errors: NotImplementedError for True.
    """
    if enabled:
        raise NotImplementedError(f"set_autocast_cpu_enabled(): {_MISSING}")


def get_autocast_dtype(device_type: str) -> Any:
    """Returns the dtype that programs have set for casts on a type of device.

    Args:
      device_type: Type of device.
    """
    return _dtypes.get(device_type, _C.bfloat16)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Sets the dtype for casts on a type of device. Nothing is cast, so it changes no result.

    Args:
      device_type: Type of device.
      dtype: Dtype.
    """
    _dtypes[device_type] = dtype


def get_autocast_gpu_dtype() -> Any:
    """Returns the dtype that programs have set for casts on GPUs."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """Sets the dtype for casts on GPUs; see `set_autocast_dtype`.

    Args:
      dtype: Dtype.
    """
    set_autocast_dtype("cuda", dtype)


def get_autocast_cpu_dtype() -> Any:
    """Returns the dtype that programs have set for casts on the CPU."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """Sets the dtype for casts on the CPU; see `set_autocast_dtype`.

    Args:
      dtype: Dtype.
    """
    set_autocast_dtype("cpu", dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether casts of parameters would be cached; True at first."""
    return _cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether casts of parameters are cached. Nothing is cast, so it changes no result.

    Args:
      enabled: Whether to cache them.
    """
    global _cache_enabled
    _cache_enabled = bool(enabled)


def clear_autocast_cache() -> None:
    """Does nothing: there are no casts of parameters."""


def autocast_increment_nesting() -> int:
    """Counts a context of mixed precision; returns the count."""
    global _nesting
    _nesting += 1
    return _nesting


def autocast_decrement_nesting() -> int:
    """Ends the count of a context of mixed precision; returns the count."""
    global _nesting
    _nesting -= 1
    return _nesting
