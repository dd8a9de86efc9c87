"""Arithmetic of sizes. PyTorch's symbolic sizes do not exist here, so the numbers are Python's."""
from __future__ import annotations

import builtins
import math
from collections.abc import Iterable
from typing import Any

from torch_np._absent import absent_class, absent_function

__all__ = ["SymBool", "SymFloat", "SymInt", "sym_constrain_range", "sym_constrain_range_for_size", "sym_float", "sym_fresh_size", "sym_int",
           "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt", "sym_sum"]

_REASON = "symbolic sizes are not implemented; sizes are Python's numbers"
SymInt, SymFloat, SymBool = (absent_class(name, _REASON, "torch_np") for name in ("SymInt", "SymFloat", "SymBool"))
sym_fresh_size = absent_function("sym_fresh_size", _REASON, "torch_np")


def sym_int(a: Any) -> int:
    """Returns the number as an int, rounded towards zero.

    Args:
      a: Number.
    """
    return int(a)


def sym_float(a: Any) -> float:
    """Returns the number as a float.

    Args:
      a: Number.
    """
    return float(a)


def sym_not(a: Any) -> bool:
    """Returns the logical negation.

    Args:
      a: Bool.
    """
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """Returns the larger number; a float if one of the two is a float.

    Args:
      a: Number.
      b: Number.
    """
    larger = builtins.max(a, b)
    return float(larger) if isinstance(a, float) or isinstance(b, float) else larger


def sym_min(a: Any, b: Any) -> Any:
    """Returns the smaller number; a float if one of the two is a float.

    Args:
      a: Number.
      b: Number.
    """
    smaller = builtins.min(a, b)
    return float(smaller) if isinstance(a, float) or isinstance(b, float) else smaller


def sym_sqrt(a: Any) -> float:
    """Returns the square root.

    Args:
      a: Number.
    """
    return math.sqrt(a)


def sym_sum(args: Iterable[Any]) -> Any:
    """Returns the sum of the numbers.

    Args:
      args: The numbers.
    """
    return builtins.sum(args)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """Returns `t` if `b` is true, else `f`.

    Args:
      b: Bool.
      t: Value.
      f: Value of the same type.

    Errors: AssertionError if the types of the values differ.
    """
    assert isinstance(b, bool) and type(t) is type(f), "sym_ite(): b must be a bool, and t and f must have one type"
    return t if b else f


def sym_constrain_range(size: Any, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
    """Checks that a size is in a range.

    Args:
      size: Number.
      min: Smallest value; None is no bound.
      max: Largest value; None is no bound.

    Errors: RuntimeError if it is not.
    """
    if (min is not None and size < min) or (max is not None and size > max):
        raise RuntimeError(f"Invalid value range for {size} between [{min}, {max}].")


def sym_constrain_range_for_size(size: Any, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
    """Checks that a size is not negative and in a range; see `sym_constrain_range`.

    Args:
      size: Number.
      min: Smallest value; None is no bound.
      max: Largest value; None is no bound.

    Errors: RuntimeError if it is not.
    """
    sym_constrain_range(size, min=0 if min is None else min, max=max)
