"""The generalized Pareto distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.utils import broadcast_all

__all__ = ["GeneralizedPareto"]

_t = _C._torch


class GeneralizedPareto(Distribution):
    """The generalised Pareto distribution, of density (1 + concentration z)^(-1 / concentration -
    1) / scale with z = (x - loc) / scale.

    Args:
      loc: location
      scale: scale
      concentration: shape parameter
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(GeneralizedPareto, batch_shape, _instance, loc=0, scale=0, concentration=0)

    def _is_exponential(self) -> Tensor:
        return self.concentration.abs() < 1e-8

    def _safe(self) -> Tensor:
        return _t.where(self._is_exponential(), _t.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(_t.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z, c = self._z(value), self._safe()
        return _t.where(self._is_exponential(), -z, -(1 + 1 / c) * _t.log1p(z * c)) - _t.log(self.scale)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values above `value`.

        Args:
          value: values

        Shapes: `value` broadcasts with the batch.
        """
        if self._validate_args:
            self._validate_sample(value)
        z, c = self._z(value), self._safe()
        return _t.where(self._is_exponential(), -z, -_t.log1p(z * c) / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the cumulative distribution function.

        Args:
          value: values

        Shapes: `value` broadcasts with the batch.
        """
        return _t.log1p(-_t.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return _t.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        c = self._safe()
        logu = _t.log1p(-value)
        return self.loc + self.scale * _t.where(self._is_exponential(), -logu, _t.expm1(-c * logu) / c)

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    @property
    def mean(self) -> Tensor:
        c = self.concentration
        valid = c < 1
        return _t.where(valid, self.loc + self.scale / (1 - _t.where(valid, c, 0.5)), float("nan"))

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        valid = c < 0.5
        safe = _t.where(valid, c, 0.25)
        return _t.where(valid, self.scale ** 2 / ((1 - safe) ** 2 * (1 - 2 * safe)), float("nan"))

    def entropy(self) -> Tensor:
        return (_t.log(self.scale) + self.concentration + 1).broadcast_to(self._batch_shape)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = _t.where(self.concentration < 0, self.loc - self.scale / _t.where(self.concentration < 0, self.concentration, -1.0), float("inf"))
        return constraints.interval(self.loc, upper)
