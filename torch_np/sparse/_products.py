"""Products of sparse matrices: mm, matmul, mv, addmm and their relatives.

A product with a dense factor is dense. A product of two sparse matrices is COO if they are, and CSR or
CSC otherwise.
"""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._autocast import lower_precision
from torch_np.sparse._common import axes_of, dtype_name, layout_name, set_parts
from torch_np.sparse._matrices import elements_of, rows_of, rows_of_batch, times, times_from_left
from torch_np.sparse._parts import COO, CSC, CSR, NAMES, parts_of, size_of
from torch_np.sparse._sparse_products import compressed, sparse_times_sparse, sum_of_repeated
from torch_np.sparse._tensor import implements
from torch_np.sparse._to_dense import dense_of

_NON_BLOCK = (CSR, CSC)


def _check_matrix(function: str, name: str, x: Tensor) -> None:
    """Raises RuntimeError unless `x` is a matrix, without dense axes if it is sparse."""
    if x.dim() != 2:
        raise RuntimeError(f"{function}(): {name} must have 2 dimensions, got shape {tuple(x.shape)}")
    if _is_sparse(x) and axes_of(parts_of(x)).dense:
        raise RuntimeError(f"{function}(): {name} must be a matrix of sparse dimensions, got one with {axes_of(parts_of(x)).dense} dense dimensions")


def _check_factors(function: str, left: Tensor, right: Tensor) -> None:
    _check_matrix(function, "mat1", left)
    _check_matrix(function, "mat2", right)
    (n, k), (m, p) = left.shape, right.shape
    if k != m:
        raise RuntimeError(f"{function}(): mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")
    if left.dtype != right.dtype:
        names = dtype_name(left.dtype), dtype_name(right.dtype)
        if _is_sparse(left) and _is_sparse(right):
            raise RuntimeError(f"mat1 dtype {names[0]} does not match mat2 dtype {names[1]}")
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")


def _unsupported(result: str, left: Tensor, right: Tensor) -> RuntimeError:
    return RuntimeError(f"addmm: computation on CPU is not implemented for {result} + {layout_name(left)} @ {layout_name(right)}")


def _layout_of_product(left: Tensor, right: Tensor) -> int:
    """The layout of the product of two sparse matrices. Errors: RuntimeError if PyTorch has none."""
    layouts = parts_of(left).layout, parts_of(right).layout
    if layouts == (COO, COO):
        return COO
    if layouts[0] in _NON_BLOCK and layouts[1] in _NON_BLOCK:
        return CSR
    raise _unsupported(layout_name(left), left, right)


def product(left: Tensor, right: Tensor, layout: int | None = None, function: str = "mm") -> Tensor:
    """The product of two matrices, at least one of them sparse.

    Args:
      left: matrix (n, k)
      right: matrix (k, m)
      layout: that of the product of two sparse matrices; None is the usual one
      function: the name in messages
    """
    _check_factors(function, left, right)
    if not _is_sparse(right):
        return times(rows_of(left), right)
    if not _is_sparse(left):
        return times_from_left(left, rows_of(right))
    usual = _layout_of_product(left, right)
    return sparse_times_sparse(left, right, usual if layout is None else layout)


def scaled(x: Tensor, factor: Any) -> Tensor:
    """`factor` times a dense tensor, in its dtype."""
    if not isinstance(factor, torch_np.Tensor) and factor == 1:
        return x
    if not (x.is_floating_point() or x.is_complex()):
        factor = int(factor)
    elif isinstance(factor, complex) and not x.is_complex():
        raise RuntimeError(f"value cannot be converted to type {dtype_name(x.dtype)} without overflow")
    found: Tensor = x * factor
    return found


def delivered(name: str, result: Tensor, out: Tensor | None) -> Tensor:
    """`result`, or `out` with its elements.

    Args:
      name: the function, for messages
      result: what was computed
      out: where it shall be; None is a new tensor
    """
    if out is None:
        return result
    if torch_np.is_grad_enabled() and (result.requires_grad or out.requires_grad):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                           "requires grad.")
    if layout_name(out) != layout_name(result):
        raise RuntimeError(f"{name}(): expected an out= tensor with layout {layout_name(result)}, got {layout_name(out)}")
    if out.dtype != result.dtype:
        raise RuntimeError(f"expected scalar type {dtype_name(result.dtype)} but found {dtype_name(out.dtype)}")
    if _is_sparse(result):
        return set_parts(out, parts_of(result), size_of(result))
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


@implements("mm")
@lower_precision
def _mm(input: Tensor, mat2: Tensor, out_dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    if out_dtype is not None and out_dtype != input.dtype:
        raise NotImplementedError("mm(): out_dtype is not implemented for sparse tensors")
    return delivered("mm", product(input, mat2), out)


@lower_precision
def sparse_mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of torch_np.sparse.mm: that of two CSC matrices is CSC."""
    if not _is_sparse(mat1) and not _is_sparse(mat2):
        return torch_np.mm(mat1, mat2)
    both = _is_sparse(mat1) and _is_sparse(mat2) and parts_of(mat1).layout == CSC and parts_of(mat2).layout == CSC
    return product(mat1, mat2, CSC if both else None)


def _sum_of_sparse(input: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * input + alpha * mat1 @ mat2 for sparse matrices."""
    layout = parts_of(input).layout
    if layout == COO:
        raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse")
    if not (_is_sparse(mat1) and _is_sparse(mat2)):
        raise _unsupported(NAMES[layout], mat1, mat2)
    _check_factors("addmm", mat1, mat2)
    factors = parts_of(mat1).layout, parts_of(mat2).layout
    if factors != (CSC, CSC) if layout == CSC else layout != CSR or factors[0] not in _NON_BLOCK or factors[1] not in _NON_BLOCK:
        raise _unsupported(NAMES[layout], mat1, mat2)
    found = product(mat1, mat2, layout, "addmm")
    if size_of(found) != size_of(input):
        raise RuntimeError(f"The expanded size of the tensor {size_of(found)} must match the existing size {size_of(input)}")
    if input.dtype != found.dtype:
        raise RuntimeError(f"expected scalar type {dtype_name(input.dtype)} but found {dtype_name(found.dtype)}")
    parts = [elements_of(found), elements_of(input)]
    values = [scaled(parts[0][2], alpha), scaled(parts[1][2], beta) if beta != 0 else torch_np.zeros_like(parts[1][2])]
    row, col = (torch_np.cat([p[i].to(torch_np.int64) for p in parts]) for i in (0, 1))
    rows, columns = size_of(input)
    return compressed(*sum_of_repeated(row, col, torch_np.cat(values), (rows, columns)), (rows, columns), layout)


def plus(function: str, input: Tensor, found: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * input + alpha * found for dense tensors; `input` broadcasts, and has no effect if `beta` is 0."""
    if input.dim() > found.dim() or any(n not in (1, m) for n, m in zip(input.shape[::-1], found.shape[::-1], strict=False)):
        raise RuntimeError(f"{function}(): input of shape {tuple(input.shape)} does not broadcast to {tuple(found.shape)}")
    input = input.expand(found.shape)
    if input.dtype != found.dtype:
        raise RuntimeError(f"expected scalar type {dtype_name(input.dtype)} but found {dtype_name(found.dtype)}")
    found = scaled(found, alpha)
    return found if beta == 0 else found + scaled(input, beta)


@implements("addmm")
@lower_precision
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * mat1 @ mat2, of which at least one is sparse."""
    if _is_sparse(input):
        return delivered("addmm", _sum_of_sparse(input, mat1, mat2, beta, alpha), out)
    if not _is_sparse(mat1) and not _is_sparse(mat2):
        raise NotImplementedError("addmm(): not implemented for a sparse out= tensor and dense matrices")
    if _is_sparse(mat1) and _is_sparse(mat2) and parts_of(mat1).layout == COO == parts_of(mat2).layout:
        raise RuntimeError("addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided layout, got 'mat1' with "
                           "layout Sparse and 'mat2' with layout Sparse")
    found = product(mat1, mat2, function="addmm")
    return delivered("addmm", plus("addmm", input, dense_of(found) if _is_sparse(found) else found, beta, alpha), out)


def _put(name: str, x: Tensor, result: Tensor) -> Tensor:
    """Gives `x` the elements of `result` in place."""
    if tuple(x.shape) != tuple(result.shape):
        raise RuntimeError(f"{name}(): The expanded size of the tensor {tuple(result.shape)} must match the existing size {tuple(x.shape)}")
    return set_parts(x, parts_of(result), size_of(result)) if _is_sparse(x) else x.copy_(result)


@implements("Tensor.addmm_")
def _addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _put("addmm_", input, addmm(input, mat1, mat2, beta=beta, alpha=alpha))


def _checked_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    is_coo = _is_sparse(matrix) and parts_of(matrix).layout == COO
    if matrix.dim() != 2 or vector.dim() != 1:
        if is_coo:
            raise RuntimeError(f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {matrix.dim()}Tensor Dim: {vector.dim()}")
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {matrix.dim()}, {vector.dim()}")
    if matrix.shape[1] != vector.shape[0]:
        if is_coo:
            raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
        raise RuntimeError(f"size mismatch, got input ({matrix.shape[0]}), mat ({matrix.shape[0]}x{matrix.shape[1]}), vec ({vector.shape[0]})")
    return dense_of(vector) if _is_sparse(vector) else vector


@implements("mv")
@lower_precision
def _mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    vec = _checked_vector(input, vec)
    found = product(input, vec.unsqueeze(1)).squeeze(1) if _is_sparse(input) else torch_np.mv(input, vec)
    return delivered("mv", found, out)


@implements("addmv")
@lower_precision
def _addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    if mat.dim() == 2 and vec.dim() == 1 and input.dim() == 1 and (mat.shape[1] != vec.shape[0] or input.shape[0] not in (1, mat.shape[0])):
        raise RuntimeError(f"size mismatch, got input ({input.shape[0]}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})")
    if not input.dtype == mat.dtype == vec.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{dtype_name(input.dtype)}, {dtype_name(mat.dtype)}, and {dtype_name(vec.dtype)}")
    return delivered("addmv", plus("addmv", dense_of(input) if _is_sparse(input) else input, _mv(mat, vec), beta, alpha), out)


@implements("Tensor.addmv_")
def _addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _put("addmv_", input, _addmv(input, mat, vec, beta=beta, alpha=alpha))


def _check_batches(left: Tensor, right: Tensor) -> None:
    if _is_sparse(right):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    axes = axes_of(parts_of(left))
    if axes.dense:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 0 dense dims, but has {axes.dense}")
    for name, x in (("self", left), ("mat2", right)):
        if x.dim() != 3:
            raise RuntimeError(f"bmm_sparse: Tensor '{name}' must have 3 {'sparse ' if x is left else ''}dims, but has {x.dim()}")
    if left.shape[0] != right.shape[0]:
        raise RuntimeError("bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match")
    if left.shape[2] != right.shape[1]:
        raise RuntimeError("bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match")
    if left.dtype != right.dtype:
        raise RuntimeError(f"expected scalar type {dtype_name(left.dtype)} but found {dtype_name(right.dtype)}")


@implements("bmm")
@lower_precision
def bmm(input: Tensor, mat2: Tensor, out_dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """A batch of sparse matrices times a batch of dense ones."""
    if out_dtype is not None and out_dtype != input.dtype:
        raise NotImplementedError("bmm(): out_dtype is not implemented for sparse tensors")
    _check_batches(input, mat2)
    count, rows = input.shape[:2]
    found = times(rows_of_batch(input), mat2.flatten(0, 1)).reshape(count, rows, mat2.shape[2])
    return delivered("bmm", found, out)


@implements("baddbmm")
@lower_precision
def _baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    if _is_sparse(input):
        raise NotImplementedError("baddbmm(): not implemented for a sparse input; to_dense() makes a dense tensor")
    return delivered("baddbmm", plus("baddbmm", input, bmm(batch1, batch2), beta, alpha), out)
