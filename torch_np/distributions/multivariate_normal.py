"""The multivariate normal distribution."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import linalg
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.distributions import constraints
from torch_np.distributions._covariance import OfCovariance, lower_factor, one_of
from torch_np.distributions.utils import LOG_2_PI, standard_normal

__all__ = ["MultivariateNormal"]


def _matvec(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _mahalanobis(lower: Tensor, x: Tensor) -> Tensor:
    """x^T M^-1 x for M = L L^T; the batches broadcast."""
    lower_x = broadcast_shapes(tuple(lower.shape[:-2]), tuple(x.shape[:-1]))
    n = x.shape[-1]
    solved = linalg.solve_triangular(lower.expand((*lower_x, n, n)), x.expand((*lower_x, n)).unsqueeze(-1), upper=False)
    return solved.pow(2).sum(-2).squeeze(-1)


def _precision_to_scale_tril(P: Tensor) -> Tensor:  # noqa: N803  (PyTorch's name)
    """The lower triangular L with L L^T = P^-1."""
    reversed_factor = linalg.cholesky(P.flip((-2, -1))).flip((-2, -1)).transpose(-2, -1)  # lower triangular, with R^T R = P
    return linalg.solve_triangular(reversed_factor, torch_np.eye(P.shape[-1], dtype=P.dtype, device=P.device), upper=False)


_batch_mv, _batch_mahalanobis = _matvec, _mahalanobis  # PyTorch's names


class MultivariateNormal(OfCovariance):
    """The multivariate normal distribution.

    Args:
      loc: mean
      covariance_matrix: the covariance
      precision_matrix: the inverse of the covariance
      scale_tril: lower triangular L with covariance L L^T
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: `loc` (..., n), matrices (..., n, n); leading axes broadcast to the batch; events (n,).
    Errors: ValueError for a `loc` of 0 axes, for a matrix of fewer than 2 axes, and unless exactly
    one of the three matrices is given.
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
                 scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = one_of(covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch = broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1]))
        n = loc.shape[-1]
        setattr(self, name, matrix.expand((*batch, n, n)))
        self.loc = loc.expand((*batch, n))
        super().__init__(batch, (n,), validate_args=validate_args)
        self._unbroadcasted_scale_tril = lower_factor(name, matrix)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(MultivariateNormal, batch_shape, _instance, loc=1, covariance_matrix=2, precision_matrix=2, scale_tril=2)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + _matvec(self._unbroadcasted_scale_tril, drawn)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -0.5 * (self._event_shape[0] * LOG_2_PI + _mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)) - self._half_log_det()

    def entropy(self) -> Tensor:
        h = 0.5 * self._event_shape[0] * (1.0 + LOG_2_PI) + self._half_log_det()
        return h if not len(self._batch_shape) else h.expand(self._batch_shape)
