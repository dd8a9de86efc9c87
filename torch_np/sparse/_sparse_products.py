"""Products of two sparse matrices, whose result is sparse."""
from __future__ import annotations

import torch_np
from torch_np import _C
from torch_np.sparse import _kernels
from torch_np.sparse._coalesce import _coalesced
from torch_np.sparse._common import row_numbers
from torch_np.sparse._compress import pointers_of
from torch_np.sparse._matrices import Rows, elements_of, in_rows
from torch_np.sparse._parts import COO, CSC, CSR, Parts, make, make_coo, parts_of, size_of

Tensor = _C.Tensor


def sum_of_repeated(row: Tensor, col: Tensor, values: Tensor, size: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Elements in row-major order; those at one place are added."""
    indices, values = _coalesced(torch_np.stack([row, col]), values, size)
    return indices[0], indices[1], values


def _expanded_product(left: Tensor, right: Rows) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, columns and values of a product, from all products of two elements; differentiable."""
    row, inner, values = elements_of(left)
    row, inner = row.to(torch_np.int64), inner.to(torch_np.int64)
    starts = right.crow[inner]
    counts = right.crow[inner + 1] - starts
    # The i-th element of `left` meets `counts[i]` elements of `right`, from `starts[i]` on.
    source = torch_np.repeat_interleave(counts)
    place = torch_np.arange(source.shape[0], device=source.device) + (starts - (counts.cumsum(0) - counts))[source]
    products = values.index_select(0, source) * right.values.index_select(0, place)
    return sum_of_repeated(row[source], right.col[place], products, (size_of(left)[0], right.columns))


def _product(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Pointers, columns and values of the product of two sparse matrices, in row-major order."""
    b = in_rows(right)
    b = b._replace(crow=b.crow.to(torch_np.int64), col=b.col.to(torch_np.int64))
    if torch_np.is_grad_enabled() and (parts_of(left).values.requires_grad or b.values.requires_grad):
        row, col, values = _expanded_product(left, b)
        return pointers_of(row, size_of(left)[0]), col, values
    a = in_rows(left)
    return _kernels.csr_product(a.crow.to(torch_np.int64), a.col.to(torch_np.int64), a.values, b.crow, b.col, b.values, b.columns)


def sparse_times_sparse(left: Tensor, right: Tensor, layout: int) -> Tensor:
    """The product of two sparse matrices as a sparse matrix.

    Args:
      left: matrix (n, k)
      right: matrix (k, m) of the same dtype
      layout: COO, CSR or CSC, that of the result
    """
    size = (size_of(left)[0], size_of(right)[1])
    crow, col, values = _product(left, right)
    if layout == CSR:
        return make(Parts(CSR, crow, col, values, False), size)
    return compressed(row_numbers(crow, col.shape[0]), col, values, size, layout)


def compressed(row: Tensor, col: Tensor, values: Tensor, size: tuple[int, int], layout: int) -> Tensor:
    """A sparse matrix of elements in row-major order."""
    if layout == COO:
        return make_coo(torch_np.stack([row, col]), values, size, True)
    if layout == CSR:
        return make(Parts(CSR, pointers_of(row, size[0]), col, values, False), size)
    order = torch_np.argsort(col, stable=True)
    return make(Parts(CSC, pointers_of(col[order], size[1]), row[order], values.index_select(0, order), False), size)
