"""The Laplace distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.utils import broadcast_all, eps_of, tiny_of

__all__ = ["Laplace"]

_t = _C._torch


class Laplace(Distribution):
    """The Laplace distribution, of density exp(-|x - loc| / scale) / (2 scale).

    Args:
      loc: location
      scale: scale
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2 ** 0.5 * self.scale

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Laplace, batch_shape, _instance, loc=0, scale=0)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn = _t.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        u = drawn.uniform_(eps_of(self.loc.dtype) - 1, 1)
        return self.loc - self.scale * u.sign() * _t.log1p(-u.abs().clamp(min=tiny_of(u.dtype)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -_t.log(2 * self.scale) - _t.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        d = value - self.loc
        return 0.5 - 0.5 * d.sign() * _t.expm1(-d.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * _t.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + _t.log(2 * self.scale)
