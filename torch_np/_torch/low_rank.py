"""Singular value decompositions of low rank, by random projection.

Source: Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53 (2011)
217-288, algorithms 4.4 and 5.1.
"""
from __future__ import annotations

from torch_np._C import Tensor, _torch, _torch_linalg as linalg

__all__ = ["pca_lowrank", "svd_lowrank"]


def _basis(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """Returns a matrix with orthonormal columns whose span approximates the range of A - M."""
    def times(x: Tensor) -> Tensor:
        product = _torch.matmul(A, x)
        return product if M is None else product - _torch.matmul(M, x)

    def adjoint_times(x: Tensor) -> Tensor:
        product = _torch.matmul(_torch.adjoint(A), x)
        return product if M is None else product - _torch.matmul(_torch.adjoint(M), x)

    start = _torch.randn((A.shape[-1], q), dtype=A.dtype, device=A.device)
    Q = linalg.qr(times(start))[0]
    for _ in range(niter):
        Q = linalg.qr(adjoint_times(Q))[0]
        Q = linalg.qr(times(Q))[0]
    return Q


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Approximates the `q` largest singular values and vectors of A - M by a randomised algorithm.
    Returns U, S and V, so that A - M is approximately U diag(S) V^H.

    Args:
      A: Matrices to decompose.
      q: Rank of the approximation; None is 6.
      niter: Number of power iterations, which improve the approximation; None is 2.
      M: Matrices to subtract, such as the means of columns; None is zero.

    Shapes: `A` (..., m, n), `M` broadcasts to it; U (..., m, q), S (..., q), V (..., n, q).
    Dtypes: float32, float64, complex64, complex128.
    """
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = _torch.broadcast_to(M, A.shape)
    if m < n:  # project the smaller side
        V, S, U = svd_lowrank(_torch.adjoint(A), q, niter, None if M is None else _torch.adjoint(M))
        return U, S, V
    Q = _basis(A, q, 2 if niter is None else niter, M)
    B = _torch.matmul(_torch.adjoint(Q), A)
    if M is not None:
        B = B - _torch.matmul(_torch.adjoint(Q), M)
    U, S, Vh = linalg.svd(B, full_matrices=False)
    return _torch.matmul(Q, U), S, _torch.adjoint(Vh)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """Principal component analysis by a randomised algorithm: U, S and V, so that U diag(S) V^H
    approximates `A`, or `A` without the means of its columns.

    Args:
      A: Matrices with a sample in each row.
      q: Number of components; None is min(6, m, n).
      center: Whether to subtract the mean of each column first.
      niter: Number of power iterations, which improve the approximation.

    Shapes: `A` (..., m, n); U (..., m, q), S (..., q), V (..., n, q).
    Errors: ValueError for a `q` outside 0 ... min(m, n), or a negative `niter`.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"pca_lowrank(): q must be from 0 to {min(m, n)}, got {q}")
    if niter < 0:
        raise ValueError(f"pca_lowrank(): niter must not be negative, got {niter}")
    if center:
        A = A - A.mean(dim=-2, keepdim=True)
    return svd_lowrank(A, q, niter)
