"""Positions of the arguments to differentiate by."""
from __future__ import annotations

from typing import Any


def numbers_of(argnums: Any, count: int) -> list[int]:
    """The positions that `argnums`, a number or a tuple, gives among `count` arguments. Raises RuntimeError if they do not exist."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = []
    for number in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
        numbers.append(number % count)
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    if len(set(numbers)) < len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return numbers
