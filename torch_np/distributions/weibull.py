"""The Weibull distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.exponential import Exponential
from torch_np.distributions.transforms import AffineTransform, PowerTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution
from torch_np.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]

_t = _C._torch


class Weibull(TransformedDistribution):
    """The Weibull distribution, of scale e^(1 / concentration) for e from the exponential
    distribution of rate 1.

    Args:
      scale: scale
      concentration: shape parameter
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        super().__init__(Exponential(_t.ones_like(self.scale), validate_args=validate_args),
                         [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)],
                         validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale, new.concentration = self.scale.expand(batch_shape), self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        steps = [PowerTransform(exponent=new.concentration_reciprocal), AffineTransform(loc=0, scale=new.scale)]
        TransformedDistribution.__init__(new, base, steps, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * _t.exp(_t.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (_t.exp(_t.lgamma(1 + 2 * r)) - _t.exp(2 * _t.lgamma(1 + r)))

    def entropy(self) -> Tensor:
        return euler_constant * (1 - self.concentration_reciprocal) + _t.log(self.scale * self.concentration_reciprocal) + 1
