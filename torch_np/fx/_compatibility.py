"""Marks of names whose meaning PyTorch keeps from version to version."""
from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def compatibility(is_backward_compatible: bool) -> Callable[[_T], _T]:
    """Returns a decorator that returns its argument.

    Args:
      is_backward_compatible: Whether the meaning of the name is kept.
    """
    return lambda fn: fn
