"""Older products of PyTorch's face, whose results are sparse though a factor is dense."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import dtype_name
from torch_np.sparse._matrices import rows_of, times
from torch_np.sparse._parts import COO, make_coo, parts_of, size_of
from torch_np.sparse._products import delivered, scaled


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Returns the product of two matrices.

    Args:
      input: The left matrix.
      mat2: The right matrix.

    Shapes: `input` (n, k), `mat2` (k, m); the result is (n, m).
    """
    return torch_np.mm(input, mat2)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Returns the product of two matrices.

    Args:
      input: The left matrix.
      mat2: The right matrix.

    Shapes: `input` (n, k), `mat2` (k, m); the result is (n, m).
    """
    return torch_np.mm(input, mat2)


def _check(name: str, sparse: Tensor, dense: Tensor) -> None:
    if not _is_sparse(sparse) or parts_of(sparse).layout != COO:
        raise NotImplementedError(f"{name}(): the left matrix must be of the layout torch_np.sparse_coo")
    if _is_sparse(dense):
        raise RuntimeError(f"{name}: expected 'mat2' to have strided layout")
    for number, x in ((2, sparse), (3, dense)):
        if x.dim() != 2:
            raise RuntimeError(f"{name}: Argument #{number}: matrices expected, got {x.dim()}D tensor")
    if parts_of(sparse).indices.shape[0] != 2:
        raise RuntimeError(f"{name}: Argument #2: matrices without dense dimensions expected")
    if sparse.shape[1] != dense.shape[0]:
        raise RuntimeError(f"{name}: Argument #3: Expected dim 0 size {sparse.shape[1]}, got {dense.shape[0]}")
    if sparse.dtype != dense.dtype:
        raise RuntimeError(f"expected scalar type {dtype_name(sparse.dtype)} but found {dtype_name(dense.dtype)}")


def _rows_of_product(sparse: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers of the rows of `sparse` that have elements, and these rows of the product."""
    matrix = rows_of(sparse)
    used = (matrix.crow[1:] > matrix.crow[:-1]).nonzero().squeeze(1)
    starts = torch_np.cat([matrix.crow[:1], matrix.crow[1:][used]])
    return used, times(matrix._replace(crow=starts, rows=used.shape[0]), dense)


def hspmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Returns the product of a COO matrix and a dense one, as a COO tensor with one sparse axis: the rows
    of the product that may differ from zero.

    Args:
      mat1: The COO matrix.
      mat2: The dense matrix.
      out: COO tensor for the result.

    Shapes: `mat1` (n, k), `mat2` (k, m); the result is (n, m).
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    _check("hspmm", mat1, mat2)
    used, rows = _rows_of_product(mat1, mat2)
    return delivered("hspmm", make_coo(used.unsqueeze(0), rows, (mat1.shape[0], mat2.shape[1])), out)


def hsmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """Returns the product of a COO matrix and a dense one, as hspmm does.

    Args:
      mat1: The COO matrix.
      mat2: The dense matrix.

    Shapes: `mat1` (n, k), `mat2` (k, m); the result is (n, m).
    """
    return hspmm(mat1, mat2)


def _elements_of_product(sparse: Tensor, dense: Tensor) -> tuple[Tensor, Tensor]:
    """Indices and values of the rows of the product that may differ from zero."""
    used, rows = _rows_of_product(sparse, dense)
    columns = torch_np.arange(rows.shape[1], device=rows.device).expand(rows.shape)
    indices = torch_np.stack([used.unsqueeze(1).expand(rows.shape).reshape(-1), columns.reshape(-1)])
    return indices, rows.reshape(-1)


def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """Returns the product of a COO matrix and a dense one as a COO matrix.

    Args:
      input: The COO matrix.
      mat2: The dense matrix.

    Shapes: `input` (n, k), `mat2` (k, m); the result is (n, m).
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    _check("sspaddmm", input, mat2)
    return make_coo(*_elements_of_product(input, mat2), (input.shape[0], mat2.shape[1]))


def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Returns beta * input + alpha * mat1 @ mat2 as a COO matrix.

    Args:
      input: The COO matrix that is added.
      mat1: The left matrix, COO.
      mat2: The right matrix, dense.
      beta: Factor of `input`.
      alpha: Factor of the product.
      out: COO matrix for the result.

    Shapes: `mat1` (n, k), `mat2` (k, m), `input` (n, m); the result is (n, m).
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    _check("sspaddmm", mat1, mat2)
    if not _is_sparse(input) or parts_of(input).layout != COO or parts_of(input).indices.shape[0] != 2:
        raise RuntimeError("sspaddmm: Argument #1: the input must be a matrix of the layout torch_np.sparse_coo")
    for axis, n in ((0, mat1.shape[0]), (1, mat2.shape[1])):
        if input.shape[axis] != n:
            raise RuntimeError(f"sspaddmm: Argument #1: Expected dim {axis} size {n}, got {input.shape[axis]}")
    if input.dtype != mat1.dtype:
        raise RuntimeError(f"dtype of values ({dtype_name(mat1.dtype)}) must match dtype of sparse tensor ({dtype_name(input.dtype)})")
    own, (indices, values) = parts_of(input), _elements_of_product(mat1, mat2)
    values = torch_np.cat([scaled(own.values, beta), scaled(values, alpha)])
    return delivered("sspaddmm", make_coo(torch_np.cat([own.indices, indices], 1), values, size_of(input)), out)


def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Returns beta * input + alpha * mat1 @ mat2 as a COO matrix, as sspaddmm does.

    Args:
      input: The COO matrix that is added.
      mat1: The left matrix, COO.
      mat2: The right matrix, dense.
      beta: Factor of `input`.
      alpha: Factor of the product.
      out: COO matrix for the result.

    Shapes: `mat1` (n, k), `mat2` (k, m), `input` (n, m); the result is (n, m).
    """
    return sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha, out=out)
