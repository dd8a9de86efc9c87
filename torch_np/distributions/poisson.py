"""The Poisson distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import broadcast_all

__all__ = ["Poisson"]

_t = _C._torch


class Poisson(ExponentialFamily):
    """The Poisson distribution.

    Args:
      rate: mean
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `rate`; events ().
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self.rate, = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Poisson, batch_shape, _instance, rate=0)

    def _draw(self, sample_shape: Any) -> Tensor:
        return _t.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (_t.log(self.rate),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return _t.exp(x)
