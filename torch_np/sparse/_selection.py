"""Parts of sparse tensors: select, index_select, narrow_copy, unbind and indexing."""
from __future__ import annotations

from typing import Any, NoReturn

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BY_ROWS, as_list, axes_of, nnz_of
from torch_np.sparse._compress import elements_of
from torch_np.sparse._parts import BSC, BSR, COO, Parts, make, make_coo, parts_of, size_of
from torch_np.sparse._shape import unsqueeze
from torch_np.sparse._tensor import implements
from torch_np.sparse._transposes import same, wrapped


def _checked(dim: int, index: int, size: tuple[int, ...]) -> tuple[int, int]:
    """The numbers of an axis and of a place along it."""
    if not size:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = wrapped(dim, len(size))
    if not -size[axis] <= index < size[axis]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {as_list(size)} at dimension {dim}")
    return axis, index % size[axis]


def _at(indices: Tensor, values: Tensor, axis: int, index: int, size: tuple[int, ...]) -> Tensor:
    """A slice of the elements along a sparse axis. It is dense if that was the only one."""
    chosen = (indices[axis] == index).nonzero().squeeze(1)
    values, size = values.index_select(0, chosen), size[:axis] + size[axis + 1:]
    if indices.shape[0] == 1:
        return values.sum(0, dtype=values.dtype)
    others = [k for k in range(indices.shape[0]) if k != axis]
    rows = torch_np.stack([indices[k] for k in others]).index_select(1, chosen)
    return make_coo(rows, values, size, values.shape[0] < 2)


def _line(parts: Parts, index: int, size: tuple[int, ...]) -> Tensor:
    """A row of a CSR matrix, or a column of a CSC matrix."""
    assert parts.plain is not None
    start, end = (int(parts.indices[k]) for k in (index, index + 1))
    plain = parts.plain[start:end].to(torch_np.int64).unsqueeze(0)
    return make_coo(plain, parts.values[start:end], size, True)


def _select_compressed(x: Tensor, axis: int, index: int) -> Tensor:
    parts, size = parts_of(x), size_of(x)
    axes = axes_of(parts)
    rest = size[:axis] + size[axis + 1:]
    if axis < axes.batch:
        assert parts.plain is not None
        indices, plain, values = (part.select(axis, index) for part in (parts.indices, parts.plain, parts.values))
        return make(parts._replace(indices=indices, plain=plain, values=values), rest)
    if axis >= axes.batch + 2:
        place = axis - 1 + axes.block  # (elements, block axes..., dense axes...) after the batch axes
        return make(parts._replace(values=parts.values.select(place, index)), rest)
    if axes.batch:
        raise RuntimeError("select(): selecting sparse dimensions is not supported for batched sparse compressed tensors.")
    if parts.layout not in (BSR, BSC) and axis == (0 if parts.layout in BY_ROWS else 1):
        return _line(parts, index, rest)
    indices, values = elements_of(x)
    if parts.layout not in (BSR, BSC):
        found = _at(indices, values, axis, index, size)
        return make_coo(parts_of(found).indices, parts_of(found).values, rest, True)
    return _at(indices, values, axis, index, size).coalesce()


@implements("select", "select_copy")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one place along an axis."""
    size = size_of(input)
    axis, index = _checked(dim, int(index), size)
    parts = parts_of(input)
    if parts.layout != COO:
        return _select_compressed(input, axis, index)
    sparse = parts.indices.shape[0]
    if axis >= sparse:
        values = parts.values.select(axis - sparse + 1, index)
        return make_coo(parts.indices, values, size[:axis] + size[axis + 1:], nnz_of(parts) < 2)
    return _at(parts.indices, parts.values, axis, index, size)


@implements("unbind", "unbind_copy")
def _unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    axis = wrapped(dim, input.dim())
    return tuple(select(input, axis, k) for k in range(size_of(input)[axis]))


@implements("index_select")
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slices at several places along an axis; places may be negative."""
    if out is not None:
        raise NotImplementedError("index_select(): out= is not implemented for sparse tensors")
    parts, size = parts_of(input), size_of(input)
    if parts.layout != COO:
        raise NotImplementedError(f"index_select(): not implemented for tensors of the layout {input.layout}; to_sparse_coo() makes a COO tensor")
    axis = wrapped(dim, len(size))
    if _is_sparse(index) or index.dim() != 1 or index.dtype != torch_np.int64:
        raise IndexError("index_select() argument index must be 1-D strided (non-sparse) long-tensor.")
    is_outside = (index < -size[axis]) | (index >= size[axis])
    if bool(is_outside.any()):
        raise IndexError(f"index_select(): index contains {int(index[is_outside][0])} that is out of range for tensor of size {as_list(size)} at "
                         f"dimension {axis}")
    index = torch_np.where(index < 0, index + size[axis], index)
    new, sparse = size[:axis] + (index.shape[0],) + size[axis + 1:], parts.indices.shape[0]
    if axis >= sparse:
        return make_coo(parts.indices, parts.values.index_select(axis - sparse + 1, index), new, parts.is_coalesced)
    wanted, order = torch_np.sort(index, stable=True)
    own = parts.indices[axis].contiguous()
    first = torch_np.searchsorted(wanted, own)
    counts = torch_np.searchsorted(wanted, own, right=True) - first  # how often each element is wanted
    source = torch_np.repeat_interleave(counts)
    place = torch_np.arange(source.shape[0], device=source.device) + (first - (counts.cumsum(0) - counts))[source]
    rows = parts.indices.index_select(1, source)
    rows[axis] = order[place]
    return make_coo(rows, parts.values.index_select(0, source), new, rows.shape[1] < 2)


@implements("narrow_copy")
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` slices along an axis, from `start` on."""
    parts, size = parts_of(input), size_of(input)
    if parts.layout != COO:
        raise NotImplementedError(f"narrow_copy(): not implemented for tensors of the layout {input.layout}; to_sparse_coo() makes a COO tensor")
    if not 0 <= dim < len(size):
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {len(size)}.")
    if start < 0 or length < 0 or start + length > size[dim]:
        raise RuntimeError(f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {size[dim]}).")
    new, sparse = size[:dim] + (length,) + size[dim + 1:], parts.indices.shape[0]
    if dim >= sparse:
        return make_coo(parts.indices.clone(), parts.values.narrow_copy(dim - sparse + 1, start, length), new, parts.is_coalesced)
    row = parts.indices[dim]
    kept = ((row >= start) & (row < start + length)).nonzero().squeeze(1)
    rows = parts.indices.index_select(1, kept)
    rows[dim] -= start
    return make_coo(rows, parts.values.index_select(0, kept), new, parts.is_coalesced)


def _sliced(x: Tensor, axis: int, taken: slice) -> Tensor:
    count = x.shape[axis]
    start, end, step = taken.indices(count)
    if (start, end, step) == (0, count, 1):
        return x
    if step < 1:
        raise ValueError("step must be greater than zero")
    if step == 1:
        return narrow_copy(x, axis, start, max(end - start, 0))
    return index_select(x, axis, torch_np.arange(start, end, step, device=x.device))


def _is_number(o: Any) -> bool:
    return isinstance(o, int) and not isinstance(o, bool) or isinstance(o, torch_np.Tensor) and o.dim() == 0 and o.dtype != torch_np.bool


@implements("Tensor.__getitem__")
def _getitem(input: Tensor, index: Any) -> Tensor:
    items = list(index) if isinstance(index, tuple) else [index]
    taken = sum(item is not None and item is not Ellipsis for item in items)
    if taken > input.dim():
        raise IndexError(f"too many indices for tensor of dimension {input.dim()}")
    found, axis = input, 0
    for item in items:
        if item is Ellipsis:
            axis += input.dim() - taken
        elif item is None:
            found, axis = unsqueeze(found, axis), axis + 1
        elif _is_number(item):
            count = found.shape[axis]
            if not -count <= int(item) < count:
                raise IndexError(f"index {int(item)} is out of bounds for dimension {axis} with size {count}")
            found = select(found, axis, int(item)) if _is_sparse(found) else found.select(axis, int(item))
        elif isinstance(item, slice):
            found = _sliced(found, axis, item) if _is_sparse(found) else found[(slice(None),) * axis + (item,)]
            axis += 1
        elif isinstance(item, (list, torch_np.Tensor)) and taken == 1 and not _is_sparse(item):
            found = _at_places(found, axis, item)
            axis += 1
        else:
            raise NotImplementedError(f"sparse tensors cannot be indexed with {type(item).__name__} among several indices")
    return same(found) if found is input else found


def _at_places(x: Tensor, axis: int, item: Any) -> Tensor:
    """x[item] for a list, or a tensor of one axis, of places or of bools."""
    places = torch_np.as_tensor(item, device=x.device)
    if places.dim() != 1:
        raise NotImplementedError(f"sparse tensors cannot be indexed with a tensor of {places.dim()} axes")
    if places.dtype == torch_np.bool:
        if places.shape[0] != x.shape[axis]:
            raise IndexError(f"The shape of the mask {as_list(places.shape)} at index 0 does not match the shape of the indexed tensor "
                             f"{as_list(x.shape)} at index {axis}")
        places = places.nonzero().squeeze(1)
    return index_select(x, axis, places.to(torch_np.int64))


@implements("Tensor.__setitem__")
def _setitem(input: Tensor, index: Any, value: Any) -> NoReturn:
    if _is_sparse(input):
        raise TypeError("Cannot assign to a sparse tensor")
    raise NotImplementedError("elements of a dense tensor cannot be set with sparse tensors; to_dense() makes a dense tensor")
