"""Indexing with arrays: the batch is one more axis, whole or indexed by the numbers of the samples."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import check_changeable, is_batched, loop, rule
from torch_np._transforms.batching import Batch, is_recorded, run

_Indices = list["_C.Tensor | None"]


def _position(indices: _Indices, given: int) -> int:
    """Where the axes of the indices are among the other axes: Note [Index arrays]."""
    if given >= 0:
        return given
    used = [i for i, index in enumerate(indices) if index is not None]
    return used[0] if used and used[-1] - used[0] + 1 == len(used) else 0


def _rank_of_indices(indices: _Indices) -> int:
    return max([index.dim() for index in indices if index is not None], default=0)


def _numbers(b: Batch, rank: int, device: Any) -> _C.Tensor:
    """The number of each sample, for indices of `rank` axes."""
    return _torch.arange(b.size, device=device).reshape(b.size, *[1] * rank)


def _indices_of_parts(b: Batch, indices: _Indices, with_batch: bool, device: Any) -> tuple[_Indices, int]:
    """The indices of the parts, and how many axes come before those of position `P`: the batch is then among the
    axes of the indices (0), or in front of all (1). `with_batch`: the indexed tensor has a batch.
    """
    rank = _rank_of_indices(indices)
    if not is_batched(b, indices):
        return [None, *indices], 1
    aligned = [None if index is None else b.aligned(index, rank) for index in indices]
    return ([_numbers(b, rank, device), *aligned] if with_batch else aligned), 0


@rule("index")
def _index(b: Batch, call: Any) -> Any:
    x, indices, position, counting = call.args
    at = _position(indices, position)
    part = b.part(x)
    places, before = _indices_of_parts(b, indices, part is not None, (x if part is None else part).device)
    made = call.run([x if part is None else part, places, at + before, counting])
    return b.wrap(made if before else made.movedim(at, 0))


@rule("gather_line")
def _gather_line(b: Batch, call: Any) -> Any:
    x, index = call.args
    part = b.part(x)
    places, before = _indices_of_parts(b, [index], part is not None, (x if part is None else part).device)
    return b.wrap(run("index", x if part is None else part, places, before, 0))


def _values(b: Batch, values: _C.Tensor, rank: int, at: int, before: int) -> _C.Tensor:
    """Values for the elements that indices select, whose samples have `rank` axes."""
    part = b.aligned(values, rank)
    if before:
        return part
    if b.part(values) is None:
        return values.reshape([1] * (rank - values.dim()) + list(values.shape)).unsqueeze(at)
    return part.movedim(0, at)


def _write(b: Batch, call: Any, place_of_position: int) -> Any:
    args = call.args
    target, indices, values = args[:3]
    part = check_changeable(b, target, call.name)
    at = _position(indices, args[place_of_position])
    places, before = _indices_of_parts(b, indices, True, part.device)
    used = sum(index is not None for index in indices)
    rank = target.dim() - used + _rank_of_indices(indices)
    if b.part(values) is None:
        values = values.to(part.device)  # a number is on the CPU
    while values.dim() > rank:
        values = values[0] if b.part(values) is None else b.wrap(b.part(values).select(1, 0))  # type: ignore[union-attr]
    args[:3] = part, places, _values(b, values, rank, at, before)
    args[place_of_position] = at + before
    call.run(args)
    _C._bump_version(target)
    return target


@rule("put_indexed_")
def _put(b: Batch, call: Any) -> Any:
    return _write(b, call, 4)


@rule("reduce_indexed_")
def _reduce(b: Batch, call: Any) -> Any:
    return _write(b, call, 4)


@rule("index_backward")
def _index_backward(b: Batch, call: Any) -> Any:
    source, size, indices, position = call.args
    at = _position(indices, position)
    places, before = _indices_of_parts(b, indices, True, b.full(source).device)
    part = b.full(source)
    return b.wrap(call.run([part if before else part.movedim(0, at), [b.size, *size], places, at + before]))


@rule("embedding")
def _embedding(b: Batch, call: Any) -> Any:
    weight, indices, padding_idx, scale, sparse = call.args
    part = b.part(weight)
    if part is None:
        return b.wrap(call.run([weight, b.full(indices), padding_idx, scale, sparse]))
    if is_recorded(part) and (padding_idx >= 0 or scale or sparse):
        return loop(b, call)
    return b.wrap(part[_numbers(b, indices.dim(), part.device), b.aligned(indices, indices.dim())])


@rule("embedding_gradient")
def _embedding_gradient(b: Batch, call: Any) -> Any:
    grad, indices, sizes, padding_idx, scale = call.args
    g, places = b.full(grad), b.full(indices)
    if padding_idx >= 0:
        g = _torch.where((places == padding_idx).reshape(*places.shape, *[1] * (g.dim() - places.dim())), _torch.zeros_like(g), g)
    places = places + _numbers(b, indices.dim(), places.device).to(places.dtype) * sizes[0]
    return b.wrap(call.run([g, places, [b.size * sizes[0], *sizes[1:]], -1, scale]).reshape(b.size, *sizes))


@rule("repeat_interleave", "sum_repetitions")
def _repetitions(b: Batch, call: Any) -> Any:
    args = call.args
    if b.part(args[1]) is not None:
        raise RuntimeError(f"vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over (aten::{call.name}) "
                           "with batched repeats.")
    x, dim = args[0], args[-1]
    part = b.full(x)
    if call.name == "sum_repetitions":
        size = args[2]
        if dim is None:
            count = 1
            for n in size:
                count *= n
            return b.wrap(call.run([part.flatten(1), args[1], [b.size, count], 1]).reshape(b.size, *size))
        return b.wrap(call.run([part, args[1], [b.size, *size], dim % len(size) + 1]))
    if dim is None:
        return b.wrap(call.run([part.reshape(b.size, x.numel()), args[1], 1]))
    return b.wrap(call.run([part, args[1], dim % max(x.dim(), 1) + 1]))


@rule("search_sorted")
def _search_sorted(b: Batch, call: Any) -> Any:
    values, order, keys, right = call.args
    if b.part(values) is None and (order is None or b.part(order) is None) and values.dim() == 1:
        return b.wrap(call.run([values, order, b.full(keys).contiguous(), right]))
    lines = b.full(values).contiguous()
    sorter = None if order is None else b.full(order).contiguous()
    part = b.full(keys).contiguous()
    shape = part.shape
    return b.wrap(call.run([lines, sorter, part.reshape(b.size, keys.numel()) if values.dim() == 1 else part, right]).reshape(shape))
