"""The multivariate normal distribution with a covariance of low rank plus a diagonal."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np import linalg
from torch_np.distributions.utils import LOG_2_PI, lazy_property, standard_normal

__all__ = ["LowRankMultivariateNormal"]

_t = _C._torch


class LowRankMultivariateNormal(Distribution):
    """The multivariate normal distribution with covariance W W^T + D, computed by Woodbury's
    identity.

    Args:
      loc: mean
      cov_factor: factor W
      cov_diag: diagonal of D
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: `loc` and `cov_diag` (..., n), `cov_factor` (..., n, r); leading axes broadcast to the
    batch; events (n,).
    Errors: ValueError if a parameter does not have such a shape.
    """

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        n = loc.shape[-1]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2] != n:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {n} x m")
        if cov_diag.shape[-1] != n:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {(n,)}")
        batch = broadcast_shapes(tuple(loc.shape[:-1]), tuple(cov_factor.shape[:-2]), tuple(cov_diag.shape[:-1]))
        self.loc, self.cov_diag = loc.expand((*batch, n)), cov_diag.expand((*batch, n))
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        self._capacitance_tril = self._capacitance()
        super().__init__(batch, (n,), validate_args=validate_args)

    def _capacitance(self) -> Tensor:
        """The Cholesky factor of I + W^T D^-1 W."""
        weighted = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        k = weighted @ self.cov_factor
        return linalg.cholesky(k + _t.eye(k.shape[-1], dtype=k.dtype, device=k.device))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(LowRankMultivariateNormal, batch_shape, _instance, loc=1, cov_factor=2, cov_diag=1)
        new._capacitance_tril = self._capacitance_tril.expand((*batch_shape, *self._capacitance_tril.shape[-2:]))
        return new

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular L with covariance L L^T.

        Shapes: (*batch_shape, n, n).
        """
        return linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance, W W^T + D.

        Shapes: (*batch_shape, n, n).
        """
        return self.cov_factor @ self.cov_factor.mT + _t.diag_embed(self.cov_diag)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance.

        Shapes: (*batch_shape, n, n).
        """
        weighted = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        a = linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return _t.diag_embed(self.cov_diag.reciprocal()) - a.mT @ a

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_factor = standard_normal((*tuple(shape)[:-1], self.cov_factor.shape[-1]), self.loc.dtype, self.loc.device)
        of_diag = standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + (self.cov_factor @ of_factor.unsqueeze(-1)).squeeze(-1) + self.cov_diag.sqrt() * of_diag

    def _log_det(self) -> Tensor:
        return 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self.cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        d = value - self.loc
        inner = ((self.cov_factor.mT / self.cov_diag.unsqueeze(-2)) @ d.unsqueeze(-1))
        batch = broadcast_shapes(tuple(self._capacitance_tril.shape[:-2]), tuple(inner.shape[:-2]))
        lower = self._capacitance_tril.expand((*batch, *self._capacitance_tril.shape[-2:]))
        solved = linalg.solve_triangular(lower, inner.expand((*batch, *inner.shape[-2:])), upper=False)
        m = (d.pow(2) / self.cov_diag).sum(-1) - solved.pow(2).sum((-2, -1))
        return -0.5 * (self._event_shape[0] * LOG_2_PI + self._log_det() + m)

    def entropy(self) -> Tensor:
        h = 0.5 * (self._event_shape[0] * (1.0 + LOG_2_PI) + self._log_det())
        return h if not len(self._batch_shape) else h.expand(self._batch_shape)
