"""torch_np.fx.experimental.symbolic_shapes: questions about sizes. PyTorch's symbolic sizes do not exist here, so the conditions
are Python's bools and their answers are known.
"""
from __future__ import annotations

from typing import Any

__all__ = ["GuardOnDataDependentSymNode", "expect_true", "free_symbols", "free_unbacked_symbols", "guard_bool", "guard_float", "guard_int",
           "guard_or_false", "guard_or_true", "has_free_symbols", "hint_int", "is_symbolic", "statically_known_true", "sym_and", "sym_eq", "sym_or"]


class GuardOnDataDependentSymNode(RuntimeError):  # noqa: N818  (PyTorch's name)
    """PyTorch's error for a size that depends on values; it is never raised here."""


def _of_type(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise AssertionError(f"Expected {kind.__name__}, got {value}")
    return value


def guard_bool(a: bool) -> bool:
    """Returns a condition. Errors: AssertionError unless it is a bool.

    Args:
      a: The condition.
    """
    return _of_type(a, bool)


def expect_true(a: bool, skip: int = 0) -> bool:
    """Returns a condition. Errors: AssertionError unless it is a bool.

    Args:
      a: The condition.
      skip: Ignored.
    """
    return _of_type(a, bool)


def guard_int(a: int) -> int:
    """Returns a size. Errors: AssertionError unless it is an int.

    Args:
      a: The size.
    """
    return _of_type(a, int)


def guard_float(a: float) -> float:
    """Returns a number. Errors: AssertionError unless it is a float.

    Args:
      a: The number.
    """
    return _of_type(a, float)


guard_or_false = guard_or_true = statically_known_true = guard_bool


def hint_int(a: int, fallback: int | None = None) -> int:
    """Returns a size. Errors: AssertionError unless it is an int.

    Args:
      a: The size.
      fallback: Ignored.
    """
    return _of_type(a, int)


def free_symbols(val: Any) -> set[Any]:
    """Returns the symbols of sizes: none.

    Args:
      val: A tensor, a size, or sizes.
    """
    return set()


def free_unbacked_symbols(x: Any) -> set[Any]:
    """Returns the symbols of sizes that depend on values: none.

    Args:
      x: A tensor, a size, or sizes.
    """
    return set()


def has_free_symbols(val: Any) -> bool:
    """Whether sizes have symbols: never.

    Args:
      val: A tensor, a size, or sizes.
    """
    return False


def is_symbolic(val: Any) -> bool:
    """Whether a number is symbolic: never.

    Args:
      val: The number.
    """
    return False


def sym_and(x: bool, *others: bool) -> bool:
    """Whether all conditions hold.

    Args:
      x: A condition.
      others: Further conditions.
    """
    return all((x, *others))


def sym_or(x: bool, *others: bool) -> bool:
    """Whether a condition holds.

    Args:
      x: A condition.
      others: Further conditions.
    """
    return any((x, *others))


def sym_eq(x: Any, y: Any) -> bool:
    """Whether sizes, or lists of sizes, are equal.

    Args:
      x: A size, or sizes.
      y: Of the same kind.

    Errors: AssertionError for operands of different kinds.
    """
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    if isinstance(x, int) and isinstance(y, int):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")
