"""What constructors of layers do with their arguments."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def ntuple(value: Any, n: int) -> tuple[Any, ...]:
    """`value` n times; or its items, if it has some."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,) * n
