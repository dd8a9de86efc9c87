"""The products of torch_np.sparse: mm, addmm, sampled_addmm."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse import _kernels
from torch_np.sparse._common import as_list, count_of, dtype_name, layout_name, row_numbers
from torch_np.sparse._parts import CSR, Parts, make, parts_of, size_of
from torch_np.sparse._products import addmm as _addmm, delivered, plus, sparse_mm

_REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "amax", "amin": "amin", "max": "amax", "min": "amin"}


def _check_reduction(matrix: Tensor, dense: Tensor, reduction: str) -> None:
    if reduction == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if reduction not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduction}")
    if not _is_sparse(matrix) or parts_of(matrix).layout != CSR:
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {layout_name(matrix)}")
    if _is_sparse(dense):
        raise RuntimeError(f"Expected tensor to have Strided Layout, but got tensor with {layout_name(dense)} Layout (while checking arguments for "
                           "sparse_mm_reduce)")
    if matrix.dtype != dense.dtype:
        raise RuntimeError(f"Expected tensor for argument #1 'other' to have scalar type {dtype_name(matrix.dtype)}; but got "
                           f"torch.{dtype_name(dense.dtype)}Tensor instead (while checking arguments for sparse_mm_reduce)")
    if dense.dim() != 2 or matrix.dim() != 2 or dense.shape[0] != matrix.shape[1]:
        raise RuntimeError(f"Expected a tensor of dimension 2 and tensor.size[0] == {matrix.shape[-1]} but got: dimension {dense.dim()} and "
                           f"tensor.size[0] = {dense.shape[0]}")


def _reduced(matrix: Tensor, dense: Tensor, reduction: str) -> Tensor:
    """The sums, means, maxima or minima of the products of each row's elements and the rows of `dense`."""
    _, crow, col, values, _ = parts_of(matrix)
    assert col is not None
    if reduction in ("sum", "mean"):
        found = _kernels.csr_matmul(crow, col, values, dense)
        counts = (crow[1:] - crow[:-1]).clamp_min(1)
        return found / counts.to(found.dtype).unsqueeze(1) if reduction == "mean" else found
    return _extremes(crow, col, values, dense, reduction == "amax")


def _extremes(crow: Tensor, col: Tensor, values: Tensor, dense: Tensor, largest: bool) -> Tensor:
    """The maxima or minima of each row's products, 0 for a row without elements. Products that are equal
    share the gradient.
    """
    found = _kernels.csr_extremes(crow, col, values.detach(), dense.detach(), largest)
    if not (torch_np.is_grad_enabled() and (values.requires_grad or dense.requires_grad)):
        return found
    products = values.unsqueeze(1) * dense.index_select(0, col)
    number = row_numbers(crow, products.shape[0]).to(torch_np.int64)
    detached = products.detach()
    chosen = (detached == found.index_select(0, number)) | detached.isnan()
    ones, places = products.new_ones(products.shape[0], requires_grad=False), torch_np.arange(products.shape[0], dtype=crow.dtype, device=crow.device)
    sums = _kernels.csr_matmul(crow, places, ones, torch_np.where(chosen, products, torch_np.zeros_like(detached)))
    counts = _kernels.csr_matmul(crow, places, ones, chosen.to(ones.dtype))
    return sums / counts.clamp_min(1)


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """Returns the product of two matrices, of which at least one is sparse. Gradients with respect to a
    sparse matrix are those of its elements.

    Args:
      mat1: The left matrix.
      mat2: The right matrix.
      reduce: What is made of the products of the elements of a row of a CSR matrix and elements of a
        dense one: "sum", "mean", "amax" or "amin"; None is their sum, for any layout.

    Shapes: `mat1` (n, k), `mat2` (k, m); the result is (n, m). It is sparse if both matrices are.
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    if reduce is None:
        return sparse_mm(mat1, mat2)
    _check_reduction(mat1, mat2, reduce)
    return _reduced(mat1, mat2, _REDUCTIONS[reduce])


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """Returns beta * input + alpha * mat1 @ mat2. Gradients with respect to a sparse matrix are those of
    its elements.

    Args:
      input: What is added. It has no effect if `beta` is 0.
      mat1: The left matrix.
      mat2: The right matrix.
      beta: Factor of `input`.
      alpha: Factor of the product.

    Shapes: `mat1` (n, k), `mat2` (k, m), `input` broadcasts to (n, m); the result is (n, m).
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    if not _is_sparse(input) and not _is_sparse(mat1) and not _is_sparse(mat2):
        return torch_np.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return _addmm(input, mat1, mat2, beta=beta, alpha=alpha)


def _check_sampled(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    def require(is_right: bool, message: str) -> None:
        if not is_right:
            raise RuntimeError(f"sampled_addmm: {message}")

    if not _is_sparse(input) or parts_of(input).layout != CSR:
        require(False, f"Expected result to have sparse csr layout, but got {layout_name(input)}")
    for name, x in (("mat1", mat1), ("mat2", mat2)):
        require(not _is_sparse(x), f"Expected {name} to have strided layout, but got {layout_name(x)}")
    kind = input.dtype
    require(kind.is_floating_point or kind.is_complex, f"Expected self to be a floating-point or complex tensor, but got {dtype_name(kind)}")
    require(mat1.dtype == mat2.dtype, f"Expected mat1 and mat2 to have the same dtype, but got {dtype_name(mat1.dtype)} and {dtype_name(mat2.dtype)}")
    require(mat1.dtype == kind, f"Expected mat1 and self to have the same dtype, but got {dtype_name(mat1.dtype)} and {dtype_name(kind)}")
    for name, x in (("mat1", mat1), ("mat2", mat2)):
        require(x.dim() >= 2, f"Expected {name} to be a matrix, got {x.dim()}-D tensor")
    batches = tuple(mat1.shape[:-2]), tuple(mat2.shape[:-2]), tuple(input.shape[:-2])
    require(batches[0] == batches[1], f"Expected mat1 and mat2 to have the same batch size, but got {as_list(batches[0])} and {as_list(batches[1])}")
    require(batches[2] in ((), batches[0]), f"Expected self and mat1 to have the same batch size, but got {as_list(batches[2])} and "
                                            f"{as_list(batches[0])}")
    require(mat1.shape[-1] == mat2.shape[-2], f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[-2]}x{mat1.shape[-1]} and "
                                              f"{mat2.shape[-2]}x{mat2.shape[-1]})")
    require(input.shape[-2] == mat1.shape[-2], "self.shape[-2] must match mat1.shape[-2]")
    require(input.shape[-1] == mat2.shape[-1], "self.shape[-1] must match mat2.shape[-1]")


def _sampled(crow: Tensor, col: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """(batch, elements): the products at the elements. `left` (batch, n, k), `right` (batch, k, m)."""
    count, m = left.shape[0], right.shape[2]
    right = right.mT
    if count == 1:
        return _kernels.csr_sampled_matmul(crow[0], col[0], left[0], right[0]).unsqueeze(0)
    # The matrices along the diagonal of one matrix.
    number = torch_np.arange(count, device=crow.device).unsqueeze(1)
    crow, col = crow.to(torch_np.int64), col.to(torch_np.int64)
    starts = torch_np.cat([crow.new_zeros(1), (crow[:, 1:] + number * col.shape[1]).reshape(-1)])
    found = _kernels.csr_sampled_matmul(starts, (col + number * m).reshape(-1), left.flatten(0, 1), right.flatten(0, 1))
    return found.reshape(count, col.shape[1])


def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0, out: Tensor | None = None) -> Tensor:
    """Returns beta * input + alpha * (mat1 @ mat2) at the elements of a CSR matrix. Other elements of the
    product are not computed.

    Args:
      input: The CSR matrix.
      mat1: The left matrix, dense.
      mat2: The right matrix, dense.
      beta: Factor of `input`, which has no effect if it is 0.
      alpha: Factor of the product.
      out: CSR matrix for the result.

    Shapes: `mat1` (*batch, n, k), `mat2` (*batch, k, m), `input` (n, m) or (*batch, n, m); the result
    is (*batch, n, m).
    Errors: RuntimeError for shapes, dtypes or layouts that do not fit.
    """
    _check_sampled(input, mat1, mat2)
    _, crow, col, values, _ = parts_of(input)
    assert col is not None
    batch = tuple(mat1.shape[:-2])
    crow, col, values = (part.expand(*batch, part.shape[-1]) for part in (crow, col, values))
    flat = [part.reshape(count_of(batch), part.shape[-1]) for part in (crow, col)]
    count = count_of(batch)
    products = _sampled(flat[0], flat[1], *(x.reshape(count, *x.shape[-2:]) for x in (mat1, mat2))).reshape(values.shape)
    parts = Parts(CSR, crow.contiguous(), col.contiguous(), plus("sampled_addmm", values, products, beta, alpha), False)
    return delivered("sampled_addmm", make(parts, (*batch, *size_of(input)[-2:])), out)
