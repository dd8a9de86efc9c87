"""The half-Cauchy distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions._half import Half
from torch_np.distributions.cauchy import Cauchy

__all__ = ["HalfCauchy"]

_t = _C._torch


class HalfCauchy(Half):
    """The half-Cauchy distribution, of |x| for x from the Cauchy distribution around 0.

    Args:
      scale: scale of x
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `scale`; events ().
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self) -> Tensor:
        return _t.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = _t.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return _t.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -float("inf"))
