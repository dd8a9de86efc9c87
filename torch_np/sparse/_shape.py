"""More axes, and several sparse tensors in one: unsqueeze, squeeze, cat, stack, broadcasting, spdiags."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._broadcast import broadcast_coo
from torch_np.sparse._common import alias, as_list, axes_of, dtype_name, layout_name, name_of_layout
from torch_np.sparse._parts import COO, make_coo, parts_of, size_of
from torch_np.sparse._tensor import implements
from torch_np.sparse._transposes import same, wrapped


def _check_coo(x: Tensor, name: str) -> None:
    if parts_of(x).layout != COO:
        raise NotImplementedError(f"{name}(): not implemented for tensors of the layout {x.layout}; to_sparse_coo() makes a COO tensor")


@implements("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """The tensor with one more axis of size 1."""
    _check_coo(input, "unsqueeze")
    parts, size = parts_of(input), size_of(input)
    axis, sparse = wrapped(dim, len(size) + 1), parts.indices.shape[0]
    new = (*size[:axis], 1, *size[axis:])
    if axis > sparse:
        return make_coo(parts.indices.clone(), parts.values.unsqueeze(axis - sparse + 1), new)
    zeros = parts.indices.new_zeros((1, parts.indices.shape[1]))
    return make_coo(torch_np.cat([parts.indices[:axis], zeros, parts.indices[axis:]]), alias(parts.values), new)


@implements("squeeze")
def _squeeze(input: Tensor, dim: Any = None) -> Tensor:
    _check_coo(input, "squeeze")
    parts, size = parts_of(input), size_of(input)
    given = range(len(size)) if dim is None else [dim] if isinstance(dim, int) else dim
    removed = {axis for axis in (wrapped(d, len(size)) for d in given) if size and size[axis] == 1}
    if not removed:
        return same(input)
    sparse = parts.indices.shape[0]
    kept = [k for k in range(sparse) if k not in removed]
    if not kept:
        raise NotImplementedError("squeeze(): a sparse tensor keeps at least one sparse axis; to_dense() makes a dense tensor")
    values = parts.values.squeeze(tuple(k - sparse + 1 for k in removed if k >= sparse)) if any(k >= sparse for k in removed) else parts.values
    values = alias(values) if values is parts.values else values
    return make_coo(parts.indices[kept], values, [n for k, n in enumerate(size) if k not in removed], parts.is_coalesced)


def _check_parts_of_cat(tensors: Sequence[Tensor], axis: int) -> None:
    for number, x in enumerate(tensors):
        if not _is_sparse(x):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {number}.")
        _check_coo(x, "cat")
    first, size = axes_of(parts_of(tensors[0])), size_of(tensors[0])
    for number, x in enumerate(tensors):
        own, other = axes_of(parts_of(x)), size_of(x)
        if (own.sparse, own.dense) != (first.sparse, first.dense):
            raise RuntimeError(f"All tensors must have the same sparse_dim and dense_dim: {first.sparse}, {first.dense}, but tensor at position "
                               f"{number} has {own.sparse}, {own.dense}.")
        if any(n != m for k, (n, m) in enumerate(zip(size, other, strict=True)) if k != axis):
            raise RuntimeError(f"All tensors must have the same shape: {as_list(size)} (except in the concatenating dimension), but found shape: "
                               f"{as_list(other)} at position {number}.")


@implements("cat", "concat", "concatenate")
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """COO tensors one after another along an axis."""
    if out is not None:
        raise NotImplementedError("cat(): out= is not implemented for sparse tensors")
    tensors = list(tensors)
    axis = wrapped(dim, tensors[0].dim())
    _check_parts_of_cat(tensors, axis)
    sparse, size = parts_of(tensors[0]).indices.shape[0], size_of(tensors[0])
    lengths = [size_of(x)[axis] for x in tensors]
    new = (*size[:axis], sum(lengths), *size[axis + 1:])
    indices, values, start = [], [], 0
    for x, length in zip(tensors, lengths, strict=True):
        parts = parts_of(x)
        rows, own = parts.indices, parts.values
        if axis < sparse:
            shift = torch_np.zeros((sparse, 1), dtype=torch_np.int64, device=rows.device)
            shift[axis] = start
            rows = rows + shift
        else:
            at = axis - sparse + 1
            shape = list(own.shape)
            shape[at] = start
            before = own.new_zeros(shape)
            shape[at] = new[axis] - start - length
            own = torch_np.cat([before, own, own.new_zeros(shape)], at)
        indices.append(rows)
        values.append(own)
        start += length
    return make_coo(torch_np.cat(indices, 1), torch_np.cat(values), new)


@implements("stack")
def _stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    for number, x in enumerate(tensors):
        if not _is_sparse(x):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {number}.")
        if size_of(x) != size_of(tensors[0]):
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {as_list(size_of(tensors[0]))} at entry 0 and "
                               f"{as_list(size_of(x))} at entry {number}")
    axis = wrapped(dim, tensors[0].dim() + 1)
    return cat([unsqueeze(x, axis) for x in tensors], axis, out=out)


@implements("hstack")
def _hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    return cat(tensors, 0 if tensors[0].dim() < 2 else 1, out=out)


@implements("vstack", "row_stack")
def _vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    return cat([unsqueeze(x, 0) if x.dim() == 1 else x for x in tensors], 0, out=out)


@implements("Tensor.expand", "Tensor.expand_as", "broadcast_to")
def _expand(input: Tensor, *size: Any, implicit: bool = False) -> NoReturn:
    raise RuntimeError(f"expand is unsupported for {layout_name(input)} tensors")


@implements("reshape", "flatten", "ravel", "Tensor.view", "Tensor.view_as", "Tensor.reshape_as")
def _reshape(input: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError("reshape is not implemented for sparse tensors")


def _sparse_broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Returns a COO tensor of a size to which `input` broadcasts. New axes are sparse.

    Args:
      input: the tensor
      size: the size

    Shapes: the result has the size `size`.
    Errors: RuntimeError if `input` does not broadcast to it.
    """
    _check_coo(input, "_sparse_broadcast_to")
    old, size = size_of(input), tuple(size)
    added = len(size) - len(old)
    if added < 0:
        raise RuntimeError("the requested broadcast shape has fewer dimensions than the input")
    for axis, n in enumerate(old):
        if n not in (1, size[axis + added]):
            raise RuntimeError(f"The input's length {n} at dimension {axis} does not broadcast over the requested shape of length "
                               f"{size[axis + added]} at dimension {axis + added}")
    found = broadcast_coo(input, size)
    return same(input) if found is input else found


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: Any = None) -> Tensor:
    """Returns a sparse matrix of some diagonals.

    Args:
      diagonals: The elements of each diagonal; element j is in column j.
      offsets: The number of each diagonal: 0 is the main one, and positive numbers are above it.
      shape: The size of the matrix.
      layout: sparse_coo, sparse_csr or sparse_csc; None is sparse_coo.

    Shapes: `diagonals` (count, length), `offsets` (count,); the result has the size `shape`.
    Errors: RuntimeError for shapes that do not fit, and for an offset that occurs twice.
    """
    diagonals = diagonals.unsqueeze(0) if diagonals.dim() == 1 else diagonals
    offsets = offsets.unsqueeze(0) if offsets.dim() == 0 else offsets
    _check_diagonals(diagonals, offsets, shape, layout)
    column = torch_np.arange(diagonals.shape[1], device=diagonals.device).expand(diagonals.shape)
    row = column - offsets.unsqueeze(1)
    place = ((row >= 0) & (row < shape[0]) & (column < shape[1])).reshape(-1).nonzero().squeeze(1)
    indices = torch_np.stack([row.reshape(-1)[place], column.reshape(-1)[place]])
    found = make_coo(indices, diagonals.reshape(-1).index_select(0, place), tuple(shape))
    return found if layout is None else found.to_sparse(layout=layout)


def _check_diagonals(diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: Any) -> None:
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if offsets.dim() != 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if diagonals.dim() != 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if diagonals.shape[0] != offsets.shape[0]:
        raise RuntimeError(f"Number of diagonals ({diagonals.shape[0]}) does not match the number of offsets ({offsets.shape[0]})")
    if layout not in (None, torch_np.sparse_coo, torch_np.sparse_csr, torch_np.sparse_csc):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {name_of_layout(layout)}")
    if offsets.dtype != torch_np.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {dtype_name(offsets.dtype)}")
    if torch_np.unique(offsets).shape[0] != offsets.shape[0]:
        raise RuntimeError("Offset tensor contains duplicate values")
