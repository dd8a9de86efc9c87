"""The exponential distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import broadcast_all

__all__ = ["Exponential"]

_t = _C._torch


class Exponential(ExponentialFamily):
    """The exponential distribution, of density rate exp(-rate x).

    Args:
      rate: inverse of the mean
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `rate`; events ().
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self.rate, = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return _t.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Exponential, batch_shape, _instance, rate=0)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn = _t.empty(self._extended_shape(sample_shape), dtype=self.rate.dtype, device=self.rate.device)
        return drawn.exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 1 - _t.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -_t.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - _t.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return -_t.log(-x)
