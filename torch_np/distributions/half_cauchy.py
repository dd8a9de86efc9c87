"""The half-Cauchy distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.cauchy import Cauchy
from torch_np.distributions.transforms import AbsTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution

__all__ = ["HalfCauchy"]

_t = _C._torch


class HalfCauchy(TransformedDistribution):
    """|x| for x of the Cauchy distribution of median 0 and width `scale`."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Cauchy

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def scale(self) -> Tensor:
        """The width of x's distribution."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return _t.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def mode(self) -> Tensor:
        return _t.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = _t.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return _t.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -float("inf"))

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
