"""torch_np.matmul and its relatives for sparse tensors."""
from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._autocast import lower_precision
from torch_np.sparse._common import axes_of
from torch_np.sparse._parts import parts_of
from torch_np.sparse._products import _mm, _mv, bmm, delivered, product
from torch_np.sparse._tensor import implements


def _folded(left: Tensor, right: Tensor) -> Tensor:
    """A dense tensor of any number of axes times a sparse matrix."""
    rows = left.reshape(-1, left.shape[-1])
    return product(rows, right).reshape(*left.shape[:-1], right.shape[1])


def _matmul_of(left: Tensor, right: Tensor) -> Tensor:
    dims = left.dim(), right.dim()
    if min(dims) == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and {dims[1]}D")
    if dims == (2, 2):
        return _mm(left, right)
    if dims == (2, 1):
        return _mv(left, right)
    if dims == (1, 2):
        if _is_sparse(left):
            left = left.to_dense()
        return product(left.unsqueeze(0), right).squeeze(0) if _is_sparse(right) else torch_np.matmul(left, right)
    if not _is_sparse(left) and dims[1] == 2:
        return _folded(left, right)
    if dims == (3, 3) and _is_sparse(left) and not _is_sparse(right) and left.shape[0] == right.shape[0]:
        return bmm(left, right)
    raise NotImplementedError(f"matmul(): not implemented for sparse tensors of {dims[0]} and {dims[1]} axes; to_dense() makes a dense tensor")


@implements("matmul", "linalg.matmul", "Tensor.__matmul__")
@lower_precision
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product of two tensors, at least one of them sparse."""
    return delivered("matmul", _matmul_of(input, other), out)


@implements("Tensor.__rmatmul__")
def _rmatmul(other: Tensor, input: Tensor) -> Tensor:
    return matmul(input, other)


@implements("linalg.multi_dot")
def _multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got 1" if tensors else "multi_dot(): expected at least 2 tensors but got 0")
    if _is_sparse(tensors[-1]):
        found = reduce(torch_np.matmul, tensors)
    else:  # from the right, all products are with dense matrices
        found = reduce(lambda right, left: torch_np.matmul(left, right), reversed(tensors))
    return delivered("multi_dot", found, out)


@implements("chain_matmul")
def _chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    return delivered("chain_matmul", matrices[0] if len(matrices) == 1 else _multi_dot(matrices), out)


@implements("matrix_power", "linalg.matrix_power")
def _matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    if input.dim() != 2 or input.shape[0] != input.shape[1]:
        raise RuntimeError("linalg.matrix_power: A must be batches of square matrices, but they are "
                           f"{' by '.join(str(k) for k in input.shape[-2:])} matrices")
    if n < 1:
        raise NotImplementedError("matrix_power(): powers of sparse matrices are implemented for n >= 1")
    found, square = None, input
    while n:
        if n & 1:
            found = square if found is None else torch_np.mm(found, square)
        n >>= 1
        square = torch_np.mm(square, square) if n else square
    assert found is not None
    return delivered("matrix_power", found.clone() if found is input else found, out)


@implements("nn.functional.linear")
@lower_precision
def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    if weight.dim() not in (1, 2) or _is_sparse(input) and axes_of(parts_of(input)).dense:
        raise RuntimeError(f"linear(): expected a matrix of weights, got {weight.dim()} axes")
    found = matmul(input, weight.t() if weight.dim() == 2 else weight)
    if bias is not None:
        found = found + bias
    return found
