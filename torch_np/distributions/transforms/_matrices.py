"""Transforms onto triangular and positive definite matrices."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np.distributions import constraints
from torch_np.distributions.transforms._transform import PlainTransform, Transform
from torch_np.distributions.utils import eps_of, tril_matrix_to_vec, vec_to_tril_matrix
from torch_np.nn import functional as F

_t = _C._torch


class CorrCholeskyTransform(Transform):
    """Maps a vector to the Cholesky factor of a correlation matrix.

    Each row has norm 1. An element below the diagonal is tanh(x) times the square root of 1 minus
    the squares of the elements to its left.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., n (n - 1) / 2) to (..., n, n).
    Errors: ValueError if the length of the last axis is not n (n - 1) / 2 for any integer n.
    """

    domain, codomain = constraints.real_vector, constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = eps_of(x.dtype)
        x = _t.tanh(x).clamp(min=-1 + eps, max=1 - eps)
        r = vec_to_tril_matrix(x, diag=-1)
        rest = (1 - r ** 2).sqrt().cumprod(-1)
        r = r + _t.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(rest[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        rest = 1 - _t.cumsum(y * y, -1)
        below = F.pad(rest[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(below, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        rest = 1 - (y * y).cumsum(-1)
        # The Jacobian of the square roots of the remaining squared norms, below the diagonal.
        of_rows = 0.5 * tril_matrix_to_vec(rest, diag=-2).log().sum(-1) if y.shape[-1] > 2 else _t.zeros(tuple(y.shape[:-2]), dtype=y.dtype)
        return of_rows - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        n = shape[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return type(shape)((*shape[:-1], d, d))

    def inverse_shape(self, shape: Any) -> Any:
        _square(shape)
        return type(shape)((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def _square(shape):
    if len(shape) < 2:
        raise ValueError("Too few dimensions on input")
    if shape[-2] != shape[-1]:
        raise ValueError("Input is not square")


class LowerCholeskyTransform(PlainTransform):
    """Maps a matrix to its lower triangle, with the exponential of the diagonal.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., n, n), both.
    """

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + _t.diag_embed(x.diagonal(dim1=-2, dim2=-1).exp())

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + _t.diag_embed(y.diagonal(dim1=-2, dim2=-1).log())


class PositiveDefiniteTransform(PlainTransform):
    """Maps a matrix to L L^T, where L is its lower triangle with the exponential of the diagonal.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., n, n), both.
    """

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite

    def _call(self, x: Any) -> Any:
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y: Any) -> Any:
        from torch_np import linalg
        return LowerCholeskyTransform().inv(linalg.cholesky(y))
