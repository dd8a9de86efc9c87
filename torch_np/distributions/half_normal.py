"""The half-normal distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np._C import Tensor
from torch_np.distributions._half import Half
from torch_np.distributions.normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """The half-normal distribution, of |x| for x from the normal distribution around 0.

    Args:
      scale: standard deviation of x
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `scale`; events ().
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
