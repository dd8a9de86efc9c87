"""Systems of linear equations with a sparse matrix: torch_np.triangular_solve, linalg.solve and
sparse.spsolve.
"""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.autograd.function import Function
from torch_np.sparse import _kernels
from torch_np.sparse._common import dtype_name, layout_name, row_numbers
from torch_np.sparse._matrices import in_rows, rows_of, rows_of_coo
from torch_np.sparse._parts import BSR, CSR, parts_of
from torch_np.sparse._products import delivered
from torch_np.sparse._tensor import implements


class _Triangle:
    """The elements of a triangular CSR matrix: those beside the diagonal, and the diagonal."""

    def __init__(self, crow: Tensor, col: Tensor, values: Tensor, upper: bool, unit: bool) -> None:
        count = crow.shape[0] - 1
        row = row_numbers(crow, col.shape[0])
        on = (row == col).nonzero().squeeze(1)
        off = (row < col if upper else row > col).nonzero().squeeze(1)
        self.diagonal = torch_np.ones(count, dtype=values.dtype, device=values.device)
        if not unit:
            self.diagonal = torch_np.zeros_like(self.diagonal).index_copy(0, row[on].to(torch_np.int64), values[on])
        self.columns, self.values = col[off].to(torch_np.int64), values[off].unsqueeze(1)
        counts = torch_np.bincount(row[off], minlength=count)
        self.starts = [0, *counts.cumsum(0).tolist()]
        self.upper = upper

    def solve(self, b: Tensor, transpose: bool) -> Tensor:
        """x of A x = b, or of A^T x = b."""
        x, starts = b.clone(memory_format=torch_np.contiguous_format), self.starts
        for k in range(len(starts) - 1)[::-1 if self.upper != transpose else 1]:
            columns, values = self.columns[starts[k]:starts[k + 1]], self.values[starts[k]:starts[k + 1]]
            if transpose:
                x[k] /= self.diagonal[k]
                x.index_add_(0, columns, -(values * x[k]))
            else:
                x[k] = (x[k] - (values * x[columns]).sum(0)) / self.diagonal[k]
        return x


class _Solve(Function):
    """x of A x = b, or of A^T x = b, for a triangular CSR matrix."""

    @staticmethod
    def forward(ctx: Any, crow: Tensor, col: Tensor, values: Tensor, b: Tensor, upper: bool, unit: bool, transpose: bool) -> Tensor:
        if b.device.type == "cpu":
            x = _kernels.csr_triangular_solve(crow, col, values.detach(), b.detach(), upper, unit, transpose)
        else:
            x = _Triangle(crow, col, values.detach(), upper, unit).solve(b.detach(), transpose)
        ctx.save_for_backward(crow, col, values, x)
        ctx.options = upper, unit, transpose
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        crow, col, values, x = ctx.saved_tensors
        upper, unit, transpose = ctx.options
        grad = _Solve.apply(crow, col, values.conj().resolve_conj() if values.is_complex() else values, grads[0], upper, unit, not transpose)
        if not ctx.needs_input_grad[2]:
            return None, None, None, grad, None, None, None
        left, right = (x.conj(), grad) if transpose else (grad, x.conj())
        found = -_kernels.csr_sampled_matmul(crow, col, left.contiguous(), right.contiguous())
        row = row_numbers(crow, col.shape[0])
        is_used = (row < col if upper else row > col) | (row == col) & (not unit)
        return None, None, torch_np.where(is_used, found, torch_np.zeros_like(found)), grad, None, None, None


def _check(b: Tensor, a: Tensor) -> None:
    if not _is_sparse(a) or _is_sparse(b):
        raise NotImplementedError("triangular_solve(): the right side must be dense, and the matrix sparse")
    if parts_of(a).layout not in (CSR, BSR):
        raise ValueError("triangular_solve: unsupported sparse layout.")
    if b.dim() < 2:
        raise RuntimeError(f"torch.triangular_solve: Expected b to have at least 2 dimensions, but it has {b.dim()} dimensions instead")
    if a.dim() != 2 or b.dim() != 2:
        raise NotImplementedError("triangular_solve(): batches of sparse matrices are not implemented")
    if a.dtype != b.dtype:
        raise RuntimeError("Expected b and A to have the same dtype, but found b of type "
                           f"{dtype_name(b.dtype)} and A of type {dtype_name(a.dtype)} instead.")
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: each A matrix is {a.shape[0]} by {a.shape[1]} but each b matrix is "
                           f"{b.shape[0]} by {b.shape[1]}")


@implements("triangular_solve")
def _triangular_solve(b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False, *,
                      out: tuple[Tensor, Tensor] | None = None) -> Any:
    _check(b, A)
    rows = rows_of(A)
    if rows.col.shape[0]:
        solution = _Solve.apply(rows.crow, rows.col, rows.values, b, upper, unitriangular, transpose)
    else:  # as in PyTorch, also if the diagonal is given as ones
        solution = torch_np.full_like(b, float("nan"))
    if out is not None:
        if out[0].shape != solution.shape:
            out[0].resize_(solution.shape)
        out[0].copy_(solution)
        return torch_np.return_types.triangular_solve((out[0], out[1]))
    return torch_np.return_types.triangular_solve((solution, torch_np.empty(0, dtype=b.dtype, device=b.device)))


class _System(Function):
    """x of A x = b for a square CSR matrix."""

    @staticmethod
    def forward(ctx: Any, crow: Tensor, col: Tensor, values: Tensor, b: Tensor) -> Tensor:
        x = _kernels.csr_solve(crow, col, values.detach(), b.detach())
        ctx.save_for_backward(crow, col, values, x)
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        crow, col, values, x = ctx.saved_tensors
        n = crow.shape[0] - 1
        adjoint = rows_of_coo(col, row_numbers(crow, col.shape[0]), values.conj().resolve_conj() if values.is_complex() else values, (n, n), False)
        grad = _System.apply(adjoint.crow, adjoint.col, adjoint.values, grads[0])
        found = -_kernels.csr_sampled_matmul(crow, col, grad.contiguous(), x.conj().contiguous()) if ctx.needs_input_grad[2] else None
        return None, None, found, grad


def _solution(name: str, a: Tensor, b: Tensor, left: bool) -> Tensor:
    if not _is_sparse(a) or _is_sparse(b):
        raise NotImplementedError(f"{name}(): the right side must be dense, and the matrix sparse")
    if a.device.type != "cpu":
        raise NotImplementedError(f"{name}(): systems with sparse matrices are solved on the CPU only")
    if not left or a.dim() != 2 or b.dim() not in (1, 2):
        raise NotImplementedError(f"{name}(): with a sparse matrix, left=False and batches are not implemented")
    if a.dtype != b.dtype:
        raise RuntimeError(f"{name}: Expected A and B to have the same dtype, but found A of type {dtype_name(a.dtype)} and B of type "
                           f"{dtype_name(b.dtype)} instead")
    if a.shape[0] != a.shape[1]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[0]} by {a.shape[1]} matrices")
    if a.shape[0] != b.shape[0]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation AX = B ({a.shape[0]}x{a.shape[1]} and {tuple(b.shape)})")
    if not (a.dtype.is_floating_point or a.dtype.is_complex):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {dtype_name(a.dtype)}")
    rows = in_rows(a)
    found = _System.apply(rows.crow, rows.col, rows.values, b if b.dim() == 2 else b.unsqueeze(1))
    return found if b.dim() == 2 else found.squeeze(1)


@implements("linalg.solve")
def _linalg_solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    return delivered("linalg.solve", _solution("linalg.solve", A, B, left), out)


def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:  # noqa: A002
    """Solves a system of linear equations with a sparse matrix, by its sparse LU factors.

    An order of minimum degree keeps the factors of meshes sparse. Those of random matrices are dense: use
    an iterative method.

    Args:
      input: The matrix of the system, on the CPU.
      other: The right side.
      left: Only True, for input @ x = other.

    Shapes: `input` (n, n), `other` and the result (n,) or (n, k).
    Dtypes: floats and complex, one for both.
    Errors: RuntimeError for layouts, shapes and dtypes that do not fit, and a singular matrix.
    """
    if not _is_sparse(input):
        raise RuntimeError(f"spsolve(): expected a sparse matrix, got one of the layout {layout_name(input)}")
    return _solution("spsolve", input, other, left)
