"""The inverse gamma distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.gamma import Gamma
from torch_np.distributions.transforms import PowerTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution

__all__ = ["InverseGamma"]

_t = _C._torch


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution, of 1 / x for x from a gamma distribution.

    Args:
      concentration: shape parameter of x
      rate: rate of x
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(exponent=-_t.ones((), dtype=base.rate.dtype, device=base.rate.device)), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self) -> Tensor:
        """The shape parameter of x."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of x."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        return _t.where(self.concentration > 1, self.rate / (self.concentration - 1), _t.full_like(self.rate, float("inf")))

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        return _t.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), _t.full_like(self.rate, float("inf")))

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
