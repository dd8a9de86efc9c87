"""The gamma distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import broadcast_all, standard_gamma, tiny_of

__all__ = ["Gamma"]

_t = _C._torch


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Args:
      concentration: shape parameter
      rate: inverse of the scale
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Gamma, batch_shape, _instance, concentration=0, rate=0)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return drawn.clamp(min=tiny_of(drawn.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        value = _t.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return _t.xlogy(a, self.rate) + _t.xlogy(a - 1, value) - self.rate * value - _t.lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return _t.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - _t.log(self.rate) + _t.lgamma(a) + (1.0 - a) * _t.digamma(a)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return _t.lgamma(x + 1) + (x + 1) * _t.log(-y.reciprocal())
