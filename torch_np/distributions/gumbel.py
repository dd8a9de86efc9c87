"""The Gumbel distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.transforms import AffineTransform, ExpTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution
from torch_np.distributions.uniform import Uniform
from torch_np.distributions.utils import all_numbers, broadcast_all, eps_of, euler_constant, tiny_of

__all__ = ["Gumbel"]

_t = _C._torch


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of loc - scale log(-log(u)) for uniform u.

    Args:
      loc: location
      scale: scale
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        dtype = self.loc.dtype
        if all_numbers(loc, scale):
            base = Uniform(tiny_of(dtype), 1 - eps_of(dtype), validate_args=validate_args)
        else:
            base = Uniform(_t.full_like(self.loc, tiny_of(dtype)), _t.full_like(self.loc, 1 - eps_of(dtype)), validate_args=validate_args)
        steps = [ExpTransform().inv, AffineTransform(loc=0, scale=-_t.ones_like(self.scale)), ExpTransform().inv,
                 AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
