"""The Kumaraswamy distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.transforms import AffineTransform, PowerTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution
from torch_np.distributions.uniform import Uniform
from torch_np.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]

_t = _C._torch


def _moment(a: Tensor, b: Tensor, n: int) -> Tensor:
    """The n-th moment, b B(1 + n / a, b)."""
    arg1 = 1 + n / a
    return b * _t.exp(_t.lgamma(arg1) + _t.lgamma(b) - _t.lgamma(arg1 + b))


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, of (1 - u^(1 / concentration0))^(1 / concentration1) for
    uniform u.

    Args:
      concentration1: first shape parameter
      concentration0: second shape parameter
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(_t.zeros_like(self.concentration0), _t.ones_like(self.concentration0), validate_args=validate_args)
        super().__init__(base, self._steps(), validate_args=validate_args)

    def _steps(self) -> list[Any]:
        return [PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
                PowerTransform(exponent=self.concentration1.reciprocal())]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1, new.concentration0 = self.concentration1.expand(batch_shape), self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-b).log1p() - (-a * b).log1p()
        return log_mode.exp().masked_fill((b < 1) | (a < 1), float("nan"))

    @property
    def variance(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        t1, t0 = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        h0 = _t.digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * h0 - _t.log(self.concentration1) - _t.log(self.concentration0)
