"""The logistic-normal distribution."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.independent import Independent
from torch_np.distributions.normal import Normal
from torch_np.distributions.transforms import StickBreakingTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The logistic-normal distribution: normal numbers mapped to the simplex by stick breaking.

    Args:
      loc: mean of the normal numbers
      scale: standard deviation of the normal numbers
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to (..., K - 1), the batch is (...), events are (K,).
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(LogisticNormal, _instance))

    def _normal(self) -> Any:
        return self.base_dist.base_dist if isinstance(self.base_dist, Independent) else self.base_dist

    @property
    def loc(self) -> Tensor:
        """The mean of the normal numbers."""
        return self._normal().loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal numbers."""
        return self._normal().scale
