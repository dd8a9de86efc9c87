"""Functions of users in a batch: rules that they register, and loops for those without one."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batching import Batch, innermost

_warned: set[str] = set()


class VmapInfo(NamedTuple):
    """What a rule learns of the batch: its size, and 'error', 'same' or 'different' random numbers."""
    batch_size: int
    randomness: str


def _tensors(value: Any) -> Iterator[_C.Tensor]:
    if isinstance(value, _C.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)


def batch_of(values: Any) -> Batch | None:
    """The innermost batch that one of the tensors belongs to."""
    return innermost(_tensors(values))


def _dims(b: Batch, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_dims(b, item) for item in value)
    return None if b.part(value) is None else 0


def _parts(b: Batch, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_parts(b, item) for item in value)
    part = b.part(value)
    return b.plain(value) if part is None else part


def by_rule(b: Batch, rule: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The results of a rule `rule(info, in_dims, *args, **kwargs)`, which returns results and their dimensions."""
    results, dims = rule(VmapInfo(b.size, b.randomness), _dims(b, args), *_parts(b, args), **_parts_by_name(b, kwargs))

    def batched(result: Any, dim: Any) -> Any:
        if isinstance(result, (tuple, list)):
            each = dim if isinstance(dim, (tuple, list)) else [dim] * len(result)
            return type(result)(batched(r, d) for r, d in zip(result, each, strict=True))
        if dim is None or not isinstance(result, _C.Tensor):
            return result
        return b.wrap(result.movedim(dim, 0))
    return batched(results, dims)


def _parts_by_name(b: Batch, kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: _parts(b, value) for name, value in kwargs.items()}


def by_loop(b: Batch, name: str, function: Callable[..., Any], values: list[Any]) -> Any:
    """Calls a function with each sample, with PyTorch's warning."""
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"There is a performance drop because we have not yet implemented the batching rule for {name}. It runs once for each "
                      "sample.", UserWarning, stacklevel=3)

    def sample(value: Any, i: int) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(sample(item, i) for item in value)
        part = b.part(value)
        if part is None:
            return b.plain(value)
        return part.select(0, i) if i < part.shape[0] else part.new_zeros(part.shape[1:])
    rows = [function(*[sample(v, i) for v in values]) for i in range(max(b.size, 1))]
    if isinstance(rows[0], _C.Tensor):
        return b.wrap(_torch.stack(rows)[:b.size])
    if rows[0] is None:
        return None
    return type(rows[0])(b.wrap(_torch.stack(column)[:b.size]) for column in zip(*rows))
