"""Sparse matrices as rows: the CSR form that the products read."""
from __future__ import annotations

from typing import NamedTuple

import torch_np
from torch_np import _C
from torch_np.sparse import _kernels
from torch_np.sparse._common import row_numbers
from torch_np.sparse._compress import pointers_of
from torch_np.sparse._parts import BSC, BSR, COO, CSC, parts_of, size_of

Tensor = _C.Tensor


class Rows(NamedTuple):
    """Elements of a matrix by rows, or by columns if `transposed`. An element may occur twice.

    `crow` (rows + 1,), `col` and `values` (elements,) are those of a CSR matrix of size (rows,
    columns), which is the transpose of the matrix if `transposed`.
    """

    crow: Tensor
    col: Tensor
    values: Tensor
    rows: int
    columns: int
    transposed: bool


def rows_of_coo(row: Tensor, col: Tensor, values: Tensor, size: tuple[int, int], in_order: bool) -> Rows:
    """The rows of a matrix of COO elements; `in_order`: those of the elements rise."""
    if not in_order:
        order = torch_np.argsort(row, stable=True)
        row, col, values = row[order], col[order], values.index_select(0, order)
    return Rows(pointers_of(row, size[0]), col, values, size[0], size[1], False)


def _rows_of_blocks(crow: Tensor, col: Tensor, blocks: Tensor, size: tuple[int, int]) -> Rows:
    """The elements of a BSR matrix, row by row. `blocks` (elements, height, width)."""
    count, height, width = blocks.shape
    crow, col = crow.to(torch_np.int64), col.to(torch_np.int64)
    starts, widths = crow[:-1], (crow[1:] - crow[:-1]) * width  # of rows of blocks
    row = row_numbers(crow, count)
    first = starts[row] * (height * width) + (torch_np.arange(count, device=col.device) - starts[row]) * width
    inner = torch_np.arange(width, device=col.device)
    # Where each element of a block goes.
    place = first[:, None, None] + torch_np.arange(height, device=col.device)[:, None] * widths[row][:, None, None] + inner
    source = torch_np.empty(place.numel(), dtype=torch_np.int64, device=col.device)
    source[place.reshape(-1)] = torch_np.arange(place.numel(), device=col.device)
    columns = (col[:, None, None] * width + inner).expand(count, height, width)
    lengths = torch_np.repeat_interleave(widths, height)
    whole = torch_np.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    return Rows(whole, columns.reshape(-1)[source], blocks.reshape(-1)[source], size[0], size[1], False)


def rows_of(matrix: Tensor) -> Rows:
    """The rows of a sparse matrix without dense axes, or its columns if it is compressed by columns."""
    layout, indices, plain, values, is_coalesced = parts_of(matrix)
    rows, columns = size_of(matrix)
    if layout == COO:
        return rows_of_coo(indices[0], indices[1], values, (rows, columns), is_coalesced)
    assert plain is not None
    if layout == BSR:
        return _rows_of_blocks(indices, plain, values, (rows, columns))
    if layout == BSC:
        return _rows_of_blocks(indices, plain, values.mT, (columns, rows))._replace(transposed=True)
    if layout == CSC:
        return Rows(indices, plain, values, columns, rows, True)
    return Rows(indices, plain, values, rows, columns, False)


def rows_of_batch(batch: Tensor) -> Rows:
    """A batch of matrices (batch, rows, columns) as one matrix with the matrices along its diagonal."""
    layout, indices, plain, values, is_coalesced = parts_of(batch)
    count, rows, columns = size_of(batch)
    if layout == COO:
        row, col = indices[0] * rows + indices[1], indices[0] * columns + indices[2]
        return rows_of_coo(row, col, values, (count * rows, count * columns), is_coalesced)
    assert plain is not None
    by_columns = layout in (CSC, BSC)
    if by_columns:
        rows, columns = columns, rows
    blocked = layout in (BSR, BSC)
    step = columns // values.shape[-2 if by_columns else -1] if blocked else columns
    indices, plain = indices.to(torch_np.int64), plain.to(torch_np.int64)
    numbers = torch_np.arange(count, device=indices.device)[:, None]
    crow = torch_np.cat([indices.new_zeros(1), (indices[:, 1:] + numbers * plain.shape[1]).reshape(-1)])
    col, size = (plain + numbers * step).reshape(-1), (count * rows, count * columns)
    if blocked:
        blocks = values.flatten(0, 1)
        return _rows_of_blocks(crow, col, blocks.mT if by_columns else blocks, size)._replace(transposed=by_columns)
    return Rows(crow, col, values.reshape(-1), size[0], size[1], by_columns)


def times(matrix: Rows, dense: Tensor) -> Tensor:
    """The matrix times `dense` (columns of the matrix, k)."""
    crow, col, values, _, columns, transposed = matrix
    if transposed:
        return _kernels.csr_matmul_transposed(crow, col, values, dense, columns)
    return _kernels.csr_matmul(crow, col, values, dense)


def transposed(matrix: Rows) -> Rows:
    """The transposed matrix."""
    return matrix._replace(transposed=not matrix.transposed)


def times_from_left(dense: Tensor, matrix: Rows) -> Tensor:
    """`dense` (k, rows of the matrix) times the matrix."""
    return times(transposed(matrix), dense.mT).mT.contiguous()


def elements_of(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(rows, columns, values) of the elements of a sparse matrix, in any order, maybe with repetitions."""
    layout, indices, _, values, _ = parts_of(matrix)
    if layout == COO:
        return indices[0], indices[1], values
    found = rows_of(matrix)
    row = row_numbers(found.crow, found.col.shape[0])
    return (found.col, row, found.values) if found.transposed else (row, found.col, found.values)


def in_rows(matrix: Tensor) -> Rows:
    """As `rows_of`, but always the rows of the matrix itself."""
    found = rows_of(matrix)
    if not found.transposed:
        return found
    row, col, values = elements_of(matrix)
    return rows_of_coo(row, col, values, (found.columns, found.rows), False)
