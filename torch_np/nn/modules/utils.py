"""Helpers for the arguments of layers."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def ntuple(value: Any, n: int) -> tuple[Any, ...]:
    """A tuple of n times `value`, or of its items if it is iterable."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,) * n
