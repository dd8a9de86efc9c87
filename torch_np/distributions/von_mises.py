"""The von Mises distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.utils import broadcast_all, lazy_property

__all__ = ["VonMises"]

_t = _C._torch


class VonMises(Distribution):
    """The von Mises distribution on the circle.

    Args:
      loc: mean direction in radians
      concentration: inverse of the spread
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    Source: Best and Fisher, Applied Statistics 28 (1979), for the draws.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args=validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        from torch_np import special
        k = self.concentration
        log_i0 = _t.log(special.i0e(k)) + k
        return k * _t.cos(value - self.loc) - math.log(2 * math.pi) - log_i0

    def _draw(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        loc, k = self.loc.double(), self.concentration.double()
        tau = 1 + (1 + 4 * k ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        # For small concentrations the formula above loses digits by cancellation, so the series at
        # 0 is used.
        r = _t.where(k < 1e-5, 1 / k + k, (1 + rho ** 2) / (2 * rho)).expand(shape)
        k = k.expand(shape)
        x = _t.empty(shape, dtype=_C.float64, device=loc.device)
        done = _t.zeros(shape, dtype=_C.bool, device=loc.device)
        while not bool(done.all()):
            u = _t.rand((3, *shape), dtype=_C.float64, device=loc.device)
            z = _t.cos(math.pi * u[0])
            f = (1 + r * z) / (r + z)
            c = k * (r - f)
            accept = ((c * (2 - c) - u[1]) > 0) | ((c / u[1]).log() + 1 - c >= 0)
            x = _t.where(accept & ~done, (u[2] - 0.5).sign() * _t.acos(f.clamp(min=-1, max=1)), x)
            done = done | accept
        return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(VonMises, batch_shape, _instance, loc=0, concentration=0)

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, 1 - I1(k) / I0(k).

        Shapes: (*batch_shape,).
        """
        from torch_np import special
        return 1 - special.i1e(self.concentration) / special.i0e(self.concentration)
