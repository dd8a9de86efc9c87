"""Cumulative distribution functions as transforms."""
from __future__ import annotations

from typing import Any

from torch_np.distributions import constraints
from torch_np.distributions.transforms._transform import Transform


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a distribution as a transform.

    Args:
      distribution: distribution that defines `cdf` and `icdf`
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
