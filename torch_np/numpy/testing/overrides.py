"""numpy.testing.overrides: lists of the functions that support NumPy's override protocols."""
from collections.abc import Callable
from typing import Any

from numpy.testing import overrides as _overrides

from torch_np.numpy._interop import mirror as _mirror

__all__ = ["allows_array_function_override", "allows_array_ufunc_override", "get_overridable_numpy_array_functions",
           "get_overridable_numpy_ufuncs"]


def _ours(functions):
    return {ours for f in functions if (ours := _mirror.ours_of(f)) is not None}


def get_overridable_numpy_ufuncs() -> set[Any]:
    """Returns the ufuncs that __array_ufunc__ may override."""
    return _ours(_overrides.get_overridable_numpy_ufuncs())


def allows_array_ufunc_override(func: Any) -> bool:
    """Whether __array_ufunc__ may override a function.

    Args:
      func: The function.
    """
    return func in get_overridable_numpy_ufuncs()


def get_overridable_numpy_array_functions() -> set[Callable[..., Any]]:
    """Returns the functions that __array_function__ may override."""
    return _ours(_overrides.get_overridable_numpy_array_functions())


def allows_array_function_override(func: Callable[..., Any]) -> bool:
    """Whether __array_function__ may override a function.

    Args:
      func: The function.
    """
    return func in get_overridable_numpy_array_functions()
