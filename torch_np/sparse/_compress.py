"""Parts of sparse tensors from those of others: sorting, blocks, pointers."""
from __future__ import annotations

import torch_np
from torch_np import Tensor
from torch_np.sparse._coalesce import _coalesced
from torch_np.sparse._common import BLOCKED, BY_COLUMNS, BY_ROWS, alias, axes_of, blocksize_of, count_of, positions, row_numbers, sparse_size, \
    unravelled
from torch_np.sparse._parts import Parts, make, make_coo, parts_of, size_of


def pointers_of(lines: Tensor, count: int) -> Tensor:
    """Where each line starts: (batch..., count + 1). `lines` (batch..., elements) are in order."""
    numbers = torch_np.arange(count + 1, dtype=lines.dtype, device=lines.device)
    return torch_np.searchsorted(lines.contiguous(), numbers.expand(*lines.shape[:-1], count + 1).contiguous()).to(lines.dtype)


def _selected(values: Tensor, flat: Tensor, axes: int) -> Tensor:
    """values[i] for each position of the first `axes` axes."""
    return values.reshape(count_of(values.shape[:axes]), *values.shape[axes:]).index_select(0, flat)


def coo_of_dense(x: Tensor, sparse: int) -> Tensor:
    """A COO tensor of the elements of a dense tensor that are not zero. Elements are slices if `sparse`
    is less than the number of axes.
    """
    is_kept = x.detach() != 0
    if sparse < x.dim():
        is_kept = is_kept.flatten(sparse).any(-1)
    flat = is_kept.reshape(-1).nonzero().squeeze(1)
    values = x.reshape(count_of(x.shape[:sparse]), *x.shape[sparse:]).index_select(0, flat)
    return make_coo(unravelled(flat, x.shape[:sparse]), values, x.shape, True)


def compressed_of_dense(x: Tensor, layout: int, block: tuple[int, int], dense: int) -> Tensor:
    """A compressed tensor of the elements or blocks of a dense tensor that are not zero."""
    batch = x.dim() - 2 - dense
    batches, inner = x.shape[:batch], x.shape[batch + 2:]
    count = count_of(batches)
    if batch and not count:
        name = ("csr", "csc", "bsr", "bsc")[layout - 1]
        raise RuntimeError(f"to_sparse_{name}: Expected product of batch dimensions to be non-zero.")
    height, width = block
    rows, columns = x.shape[batch] // height, x.shape[batch + 1] // width
    blocks = x.reshape(count, rows, height, columns, width, *inner).transpose(2, 3)
    is_kept = (blocks.detach() != 0).reshape(count, rows, columns, height * width * count_of(inner)).any(-1)
    if layout in BY_COLUMNS:
        is_kept = is_kept.transpose(1, 2)
    counts = is_kept.sum(-1)  # (batches, lines)
    totals = counts.sum(-1)
    if count > 1 and not bool((totals == totals[0]).all()):
        raise RuntimeError("Expect the same number of specified elements per batch.")
    pointers = torch_np.cat((counts.new_zeros((count, 1)), counts.cumsum(-1)), -1)
    number, line, plain = is_kept.nonzero().unbind(1)
    row, column = (plain, line) if layout in BY_COLUMNS else (line, plain)
    nnz = plain.shape[0] // max(count, 1)
    values = blocks.reshape(count * rows * columns, height, width, *inner).index_select(0, (number * rows + row) * columns + column)
    values = values.reshape(*batches, nnz, *(block if layout in BLOCKED else ()), *inner)
    return make(Parts(layout, pointers.reshape(*batches, counts.shape[-1] + 1), plain.reshape(*batches, nnz).contiguous(), values, False), x.shape)


def _blocked(row: Tensor, column: Tensor, values: Tensor, layout: int, block: tuple[int, int], size: tuple[int, ...]) -> Tensor:
    """A tensor of blocks from distinct elements. `row`, `column` (elements,), `values` (elements, dense...)."""
    height, width = block
    rows, columns = size[0] // height, size[1] // width
    by_rows = layout in BY_ROWS
    kind, row, column = row.dtype, row.to(torch_np.int64), column.to(torch_np.int64)
    line, other = (row // height, column // width) if by_rows else (column // width, row // height)
    lines, others = (rows, columns) if by_rows else (columns, rows)
    key, place = torch_np.unique(line * max(others, 1) + other, sorted=True, return_inverse=True)
    inner = (row % height) * width + column % width
    filled = torch_np.zeros((key.shape[0] * height * width, *values.shape[1:]), dtype=values.dtype, device=values.device)
    filled = filled.index_copy(0, place * (height * width) + inner, values)
    pointers, plain = pointers_of(key // max(others, 1), lines), key % max(others, 1)
    return make(Parts(layout, pointers.to(kind), plain.to(kind), filled.reshape(key.shape[0], height, width, *values.shape[1:]), False), size)


def compressed_of_coo(x: Tensor, layout: int, block: tuple[int, int]) -> Tensor:
    """A compressed tensor of the elements of a COO tensor with two sparse axes."""
    parts, size = parts_of(x), size_of(x)
    indices, values = parts.indices, parts.values
    if not parts.is_coalesced:
        indices, values = _coalesced(indices, values, sparse_size(x))
    row, column = indices.unbind(0)
    if layout in BLOCKED:
        return _blocked(row, column, values, layout, block, size)
    if layout in BY_ROWS:
        values = alias(values) if values is parts.values else values
        return make(Parts(layout, pointers_of(row, size[0]), column.clone(), values, False), size)
    column, order = torch_np.sort(column, stable=True)
    return make(Parts(layout, pointers_of(column, size[1]), row[order], values.index_select(0, order), False), size)


def swapped(parts: Parts, layout: int, size: tuple[int, ...]) -> Parts:
    """The parts by columns of a tensor whose parts are by rows, or the other way round."""
    assert parts.plain is not None
    batch, nnz = parts.indices.dim() - 1, parts.plain.shape[-1]
    block = blocksize_of(parts)
    by_rows = parts.layout in BY_ROWS
    count, lines = (size[batch + axis] // max(block[axis], 1) for axis in ((0, 1) if by_rows else (1, 0)))
    line = row_numbers(parts.indices, nnz).to(torch_np.int64)
    key, order = torch_np.sort(parts.plain.to(torch_np.int64) * max(count, 1) + line, dim=-1, stable=True)
    if batch:
        first = torch_np.arange(count_of(size[:batch]), device=order.device).reshape(*size[:batch], 1) * nnz
        order = order + first
    values = _selected(parts.values, order.reshape(-1), batch + 1).reshape(parts.values.shape)
    kind = parts.plain.dtype
    return Parts(layout, pointers_of(key // max(count, 1), lines).to(kind), (key % max(count, 1)).to(kind), values, False)


def elements_of(x: Tensor) -> tuple[Tensor, Tensor]:
    """Indices (axes, elements) of int64, and values (elements, dense...), of a compressed tensor. Elements
    are in the order of the layout, those of a block one after another.
    """
    parts, size = parts_of(x), size_of(x)
    assert parts.plain is not None
    batch, _, block, _ = axes_of(parts)
    nnz = parts.plain.shape[-1]
    line = row_numbers(parts.indices, nnz).to(torch_np.int64).reshape(-1)
    plain = parts.plain.to(torch_np.int64).reshape(-1)
    row, column = (plain, line) if parts.layout in BY_COLUMNS else (line, plain)
    number = torch_np.arange(count_of(size[:batch]), device=row.device).repeat_interleave(nnz) if batch else None
    values = parts.values.reshape(row.shape[0], *parts.values.shape[batch + 1:])
    if block:
        height, width = blocksize_of(parts)
        full = (row.shape[0], height, width)
        inner = torch_np.arange(max(height, width), device=row.device)
        row = (row[:, None, None] * height + inner[:height, None]).expand(full).reshape(-1)
        column = (column[:, None, None] * width + inner[:width]).expand(full).reshape(-1)
        number = None if number is None else number.repeat_interleave(height * width)
        values = values.reshape(count_of(full), *values.shape[3:])
    columns = torch_np.stack((row, column))
    return (columns if number is None else torch_np.cat((unravelled(number, size[:batch]), columns))), values


def coo_of_compressed(x: Tensor) -> Tensor:
    """A COO tensor of the elements of a compressed one."""
    indices, values = elements_of(x)
    parts = parts_of(x)
    is_coalesced = parts.layout in BY_ROWS and parts.layout not in BLOCKED or values.shape[0] < 2
    return make_coo(indices, alias(values) if values is parts.values else values, size_of(x), is_coalesced)


def blocks_of_compressed(x: Tensor, layout: int, block: tuple[int, int]) -> Tensor:
    """A tensor of blocks from the elements of a CSR or CSC matrix."""
    indices, values = elements_of(x)
    kind = parts_of(x).indices.dtype
    return _blocked(indices[0].to(kind), indices[1].to(kind), values, layout, block, size_of(x))


def linear_elements(x: Tensor) -> tuple[Tensor, Tensor]:
    """Positions and values of the elements of a sparse tensor: (elements,), (elements, dense...)."""
    parts = parts_of(x)
    if parts.plain is None:
        return positions(parts.indices, sparse_size(x)), parts.values
    indices, values = elements_of(x)
    return positions(indices, size_of(x)[:indices.shape[0]]), values


def line_keys(parts: Parts, size: tuple[int, ...]) -> tuple[Tensor, int, int]:
    """Positions of the elements, or blocks, of a compressed matrix in the order of its lines: (elements,),
    and the numbers of lines and of places in a line.
    """
    assert parts.plain is not None
    block = blocksize_of(parts)
    rows, columns = (size[axis] // max(block[axis], 1) for axis in (0, 1))
    lines, others = (rows, columns) if parts.layout in BY_ROWS else (columns, rows)
    line = row_numbers(parts.indices, parts.plain.shape[-1]).to(torch_np.int64)
    return line * others + parts.plain.to(torch_np.int64), lines, others
