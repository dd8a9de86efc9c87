"""The Wishart distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C, linalg
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.distributions import constraints
from torch_np.distributions._covariance import OfCovariance, lower_factor, one_of
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.chi2 import Chi2
from torch_np.distributions.utils import tiny_of

__all__ = ["Wishart"]

_t = _C._torch


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    return _t.digamma(x.unsqueeze(-1) - _t.arange(p, dtype=x.dtype, device=x.device).div(2).expand((*x.shape, -1))).sum(-1)


class Wishart(OfCovariance, ExponentialFamily):
    """The Wishart distribution of positive definite matrices.

    Draws use Bartlett's decomposition. Singular draws, which are rare, are repeated.

    Args:
      df: degrees of freedom, above p - 1
      covariance_matrix: scale matrix V
      precision_matrix: the inverse of V
      scale_tril: lower triangular L with V = L L^T
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: `df` (...) and matrices (..., p, p); leading axes broadcast to the batch; events (p, p).
    Errors: ValueError for a matrix of fewer than 2 axes, unless exactly one of the three matrices
    is given, and for a `df` of p - 1 or less.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0.0

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df: Any, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None, scale_tril: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        name, matrix = one_of(covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        n = matrix.shape[-1]
        df = df if isinstance(df, Tensor) else _t.tensor(float(df), dtype=matrix.dtype, device=matrix.device)
        batch = broadcast_shapes(tuple(matrix.shape[:-2]), tuple(df.shape))
        if bool((df <= n - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        self.df = df.expand(batch)
        setattr(self, name, matrix.expand((*batch, n, n)))
        super().__init__(batch, (n, n), validate_args=validate_args)
        self._unbroadcasted_scale_tril = lower_factor(name, matrix)
        self._dist_chi2 = self._diagonals()

    def _diagonals(self) -> Chi2:
        n = self._event_shape[-1]
        return Chi2(df=self.df.unsqueeze(-1) - _t.arange(n, dtype=self.df.dtype, device=self.df.device))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(Wishart, batch_shape, _instance, df=0, covariance_matrix=2, precision_matrix=2, scale_tril=2)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        new._dist_chi2 = new._diagonals()
        return new

    @property
    def mean(self) -> Tensor:
        return self.df.reshape((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = _t.where(factor <= 0, float("nan"), factor)
        return factor.reshape((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self.df.reshape((*self._batch_shape, 1, 1)) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett(self, sample_shape: Any) -> Tensor:
        n = self._event_shape[-1]
        diagonal = self._dist_chi2.rsample(sample_shape).clamp(min=tiny_of(self.df.dtype)).sqrt()
        below = _t.randn((*sample_shape, *self._batch_shape, n, n), dtype=self.df.dtype, device=self.df.device).tril(-1)
        factor = self._unbroadcasted_scale_tril @ (below + _t.diag_embed(diagonal))
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        tries = (3 if self._event_shape[-1] > 2 else 10) if max_try_correction is None else max_try_correction
        drawn = self._bartlett(tuple(sample_shape))
        for _ in range(tries):
            singular = ~self.support.check(drawn)
            if not bool(singular.any()):
                break
            drawn = _t.where(singular.unsqueeze(-1).unsqueeze(-1), self._bartlett(tuple(sample_shape)), drawn)
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        trace = _t.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (-nu * (p * math.log(2) / 2 + self._half_log_det()) - _t.mvlgamma(nu / 2, p)
                + (nu - p - 1) / 2 * linalg.slogdet(value).logabsdet - trace / 2)

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        return ((p + 1) * (p * math.log(2) / 2 + self._half_log_det()) + _t.mvlgamma(nu / 2, p)
                - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p) + nu * p / 2)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        p = self._event_shape[-1]
        degrees = y + (p + 1) / 2
        return degrees * (-linalg.slogdet(-2 * x).logabsdet + p * math.log(2)) + _t.mvlgamma(degrees, p)
