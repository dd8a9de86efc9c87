"""Tuples of numbers, one for each dimension of a layer."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def ntuple(value: Any, n: int) -> tuple[Any, ...]:
    """A tuple of n times `value`, or of its items if it is iterable."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,) * n


# PyTorch's names, which layers of other packages import.
def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n
    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = _ntuple(1, "_single"), _ntuple(2, "_pair"), _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: Sequence[int | None] | int, defaults: Sequence[int]) -> Any:
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size):])]
