"""LOBPCG: a few eigenvalues and eigenvectors of a large symmetric matrix, of which only products are needed.

Source: A. Knyazev, Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned
Conjugate Gradient Method, SIAM J. Sci. Comput. 23 (2001). Each step solves the problem in the space of
the current vectors X, their preconditioned residuals, and the last step's directions. An orthonormal
basis of that space comes from an eigendecomposition that drops dependent directions.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor, _torch as tnp
from torch_np.autograd.function import Function
from torch_np.autograd.grad_mode import no_grad

__all__ = ["LOBPCG", "lobpcg"]

_EPSILONS = {_C.float32: 1.2e-07, _C.float64: 2.23e-16}


class LOBPCG:
    """The state of an iteration, with PyTorch's names: a `tracker` reads it.

    `X` are the vectors, `E` their eigenvalues, `R` the residuals, `S` the basis of the last step.
    `ivars` has istep and converged_count, `tvars` rerr, the relative residuals. `bvars["force_stop"] =
    True` ends the iteration.
    """

    def __init__(self, A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, k: int, niter: int, tol: float, largest: bool,  # noqa: N803
                 tracker: Callable[[LOBPCG], Any] | None) -> None:
        self.A, self.B, self.iK, self.tracker = A, B, iK, tracker
        self.iparams = {"m": X.shape[0], "n": X.shape[1], "k": k, "niter": niter}
        self.fparams, self.bparams = {"tol": tol}, {"largest": largest}
        self.ivars = {"istep": 0, "converged_count": 0}
        self.fvars: dict[str, float] = {}
        self.bvars = {"force_stop": False}
        self.tvars: dict[str, Tensor] = {}
        self.S = X
        self._directions: Tensor | None = None
        self.fvars |= {"A_norm": _norm(A @ X) / _norm(X), "B_norm": _norm(self._by_b(X)) / _norm(X)}
        self._solve_in(self._orthonormal(X), None)

    def _by_b(self, x: Tensor) -> Tensor:
        return x if self.B is None else self.B @ x

    def _orthonormal(self, s: Tensor) -> Tensor:
        """An orthonormal basis, by the product of B, of the space of the columns."""
        for _ in range(2):
            gram = s.mT @ self._by_b(s)
            scale = gram.diagonal().clamp(min=0).sqrt()
            scale = tnp.where(scale > 0, 1 / scale, 0.0)
            values, vectors = _eigh(gram * scale * scale[:, None])
            kept = values > _EPSILONS[s.dtype] * s.shape[1] * values.max()
            s = (s * scale) @ (vectors[:, kept] * values[kept].rsqrt())
        return s

    def _solve_in(self, x: Tensor, more: Tensor | None) -> None:
        """The best vectors in the space of two orthonormal bases."""
        n = self.iparams["n"]
        basis = x if more is None else tnp.cat([x, more], 1)
        values, vectors = _eigh(basis.mT @ (self.A @ basis))
        if self.bparams["largest"]:
            values, vectors = values.flip(0), vectors.flip(1)
        self.S, self.E, chosen = basis, values[:n], vectors[:, :n]
        self._directions = None if more is None else more @ chosen[x.shape[1]:]
        self.X = basis @ chosen
        product = self._by_b(self.X)
        self.R = self.A @ self.X - product * self.E
        self.tvars["rerr"] = _norms(self.R) / (_norms(self.X) * (self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]))
        done = (self.tvars["rerr"] <= self.fparams["tol"]).tolist()
        self.ivars["converged_count"] = next((i for i, d in enumerate(done) if not d), len(done))

    def _step(self) -> None:
        residuals = self.R if self.iK is None else self.iK @ self.R
        more = residuals if self._directions is None else tnp.cat([residuals, self._directions], 1)
        for _ in range(2):
            more = more - self.X @ (self._by_b(self.X).mT @ more)
            if not bool((more != 0).any()):
                return
            more = self._orthonormal(more)
        self._solve_in(self.X, more)

    def run(self) -> None:
        """Iterates until `k` vectors have converged, `niter` steps are done, or the tracker stops."""
        for step in itertools.count() if self.iparams["niter"] < 0 else range(self.iparams["niter"] + 1):
            self.ivars["istep"] = step
            if step:
                self._step()
            if self.tracker is not None:
                self.tracker(self)
            if self.bvars["force_stop"] or self.ivars["converged_count"] >= self.iparams["k"]:
                return


def _norms(x: Tensor) -> Tensor:
    return (x * x).sum(0).sqrt()


def _norm(x: Tensor) -> float:
    return math.sqrt(float((x * x).sum()))


def _eigh(x: Tensor) -> Any:
    from torch_np.linalg import eigh

    return eigh((x + x.mT) / 2)


class _Eigenpairs(Function):
    """Eigenpairs that were computed before, as a function of the matrix."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
        values, vectors = values.clone(), vectors.clone()
        ctx.save_for_backward(a, values, vectors)
        return values, vectors

    @staticmethod
    def backward(ctx: Any, by_values: Tensor, by_vectors: Tensor) -> Any:
        from torch_np.linalg import solve

        a, values, vectors = ctx.saved_tensors
        # Within the space of the vectors: as for a full decomposition.
        own = vectors.mT @ by_vectors
        differences = values.unsqueeze(-2) - values.unsqueeze(-1)
        diagonal = tnp.eye(values.shape[-1], dtype=_C.bool, device=a.device)
        factors = tnp.where(diagonal, 0.0, 1 / tnp.where(diagonal, 1.0, differences))
        found = vectors @ (by_values.diag_embed() + own * factors) @ vectors.mT
        # Orthogonal to it: (A - d I)^+ for each eigenvalue d, by a matrix that is I on the space of the vectors.
        projector = vectors @ vectors.mT
        rest = tnp.eye(a.shape[-1], dtype=a.dtype, device=a.device) - projector
        shifted = rest @ a @ rest
        matrices = shifted.unsqueeze(-3) - values[..., None, None] * rest.unsqueeze(-3) + projector.unsqueeze(-3)
        outside = (by_vectors - vectors @ own).mT.unsqueeze(-1)
        solved = -solve(matrices, outside).squeeze(-1).mT
        return found + solved @ vectors.mT, None, None


def _check(a: Tensor, b: Tensor | None, x: Tensor | None, ik: Tensor | None, n: int, method: str | None) -> None:
    if a.dtype not in _EPSILONS:
        raise ValueError(f"lobpcg(): A must be float32 or float64, got {a.dtype}")
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"lobpcg(): A must be square matrices, got the shape {tuple(a.shape)}")
    for name, t in (("B", b), ("iK", ik)):
        if t is not None and tuple(t.shape) != tuple(a.shape):
            raise ValueError(f"lobpcg(): {name} must have the shape of A, {tuple(a.shape)}, got {tuple(t.shape)}")
    if x is not None and tuple(x.shape[:-1]) != tuple(a.shape[:-1]):
        raise ValueError(f"lobpcg(): X must have the shape {(*a.shape[:-1], n)}, got {tuple(x.shape)}")
    if a.shape[-1] < 3 * n:
        raise ValueError(f"LPBPCG algorithm is not applicable when the number of A rows (={a.shape[-1]}) is smaller than 3 x the number of requested "
                         f"eigenpairs (={n})")
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"lobpcg(): method must be 'basic' or 'ortho', got {method!r}")


def _solved(a: Tensor, b: Tensor | None, x: Tensor | None, ik: Tensor | None, k: int, n: int, *options: Any) -> tuple[Tensor, Tensor]:
    """The eigenpairs of one matrix, or of a batch, one after the other."""
    if a.dim() == 2:
        start = tnp.randn(a.shape[-1], n, dtype=a.dtype, device=a.device) if x is None else x
        worker = LOBPCG(a, b, start, ik, k, *options)
        worker.run()
        return worker.E[:k], worker.X[:, :k]
    parts = [_solved(a[i], None if b is None else b[i], None if x is None else x[i], None if ik is None else ik[i], k, n, *options)
             for i in range(a.shape[0])]
    if not parts:
        return a.new_zeros((*a.shape[:-2], k)), a.new_zeros((*a.shape[:-1], k))
    return tnp.stack([e for e, _ in parts]), tnp.stack([v for _, v in parts])


def lobpcg(A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None,  # noqa: N803
           iK: Tensor | None = None, niter: int | None = None, tol: float | None = None, largest: bool | None = None,  # noqa: N803
           method: str | None = None, tracker: Callable[[LOBPCG], Any] | None = None, ortho_iparams: dict[str, int] | None = None,
           ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None) -> tuple[Tensor, Tensor]:
    """Returns the `k` largest eigenvalues of A x = e B x, or the smallest, and their vectors, by the iteration
    LOBPCG. It suits large or sparse matrices and few eigenvalues; `torch_np.linalg.eigh` computes all.

    Args:
      A: Symmetric matrix, dense or sparse, or a batch of dense ones. It is not checked; of a matrix that
        requires a gradient the symmetric part is used.
      k: Number of eigenvalues; None is the number of columns of `X`, or 1.
      B: Symmetric positive definite matrix; None is the identity.
      X: First vectors; None draws them from a normal distribution.
      n: Number of vectors that are iterated, at least `k`; None is `k`. `X` has as many columns.
      iK: Preconditioner: an approximation of the inverse of `A`.
      niter: Largest number of steps; None is 1000, -1 no limit.
      tol: Relative residual at which a vector has converged; None is the root of the dtype's precision, or
        its power 3/4 if a gradient is recorded, which depends on the vectors.
      largest: Whether to find the largest eigenvalues; None is True.
      method: 'ortho', 'basic', or None. Both keep the basis orthonormal here.
      tracker: Function of the LOBPCG object, called after each step.
      ortho_iparams: Ignored, like the next two: parameters of PyTorch's orthogonalisation.
      ortho_fparams: Ignored.
      ortho_bparams: Ignored.

    Shapes: `A`, `B` and `iK` (*, m, m), `X` (*, m, n); the values (*, k), the vectors (*, m, k).
    Dtypes: float32 and float64.
    Errors: ValueError for other shapes and dtypes, and for m < 3 n; NotImplementedError for gradients with
    `B` or of sparse matrices. If `niter` is reached, the result is the current approximation.
    """
    k = k if k is not None else 1 if X is None else X.shape[-1]
    n = X.shape[-1] if X is not None else k if n is None else n
    if k > n:
        raise ValueError(f"lobpcg(): k={k} is larger than n={n}, the number of vectors")
    _check(A, B, X, iK, n, method)
    recorded = _C._is_grad_enabled() and A.requires_grad
    tol = _EPSILONS[A.dtype] ** (0.75 if recorded else 0.5) if tol is None else tol
    options = (1000 if niter is None else niter, tol, largest is None or largest, tracker)
    if recorded and (B is not None or _C._is_sparse(A)) or _C._is_grad_enabled() and B is not None and B.requires_grad:
        raise NotImplementedError("lobpcg(): gradients with B or of sparse matrices are not implemented; use torch_np.linalg.eigh of dense matrices")
    symmetric = (A + A.mT) / 2 if recorded else A
    with no_grad():
        values, vectors = _solved(symmetric.detach(), B, X, iK, k, n, *options)
    return _Eigenpairs.apply(symmetric, values, vectors) if recorded else (values, vectors)
