"""Elementwise transforms."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.distributions import constraints
from torch_np.distributions.transforms._transform import PlainTransform, Transform
from torch_np.distributions.utils import broadcast_all, eps_of, sum_rightmost, tiny_of
from torch_np.nn import functional as F

_t = _C._torch


class ExpTransform(PlainTransform):
    """The transform y = exp(x).

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """The transform y = x^exponent, for positive x.

    Args:
      exponent: the exponent
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.positive, constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent, = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool((self.exponent == other.exponent).all())

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(tuple(shape), tuple(self.exponent.shape))

    inverse_shape = forward_shape


def _clipped_sigmoid(x: Any) -> Any:
    return _t.sigmoid(x).clamp(min=tiny_of(x.dtype), max=1.0 - eps_of(x.dtype))


class SigmoidTransform(PlainTransform):
    """The transform y = 1 / (1 + exp(-x)).

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.real, constraints.unit_interval
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        y = y.clamp(min=tiny_of(y.dtype), max=1.0 - eps_of(y.dtype))
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(PlainTransform):
    """The transform y = log(1 + exp(x)).

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x)


class TanhTransform(PlainTransform):
    """The transform y = tanh(x).

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.real, constraints.interval(-1.0, 1.0)
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return _t.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(PlainTransform):
    """The transform y = |x|; its inverse returns the positive x.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    domain, codomain = constraints.real, constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """The transform y = loc + scale x.

    Args:
      loc: offset
      scale: factor
      event_dim: number of last axes that make up one value
      cache_size: 1 to cache the last pair of x and y, 0 not to
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    def _real(self):
        return constraints.real if self.event_dim == 0 else constraints.independent(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._real()

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._real()

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        def same(a: Any, b: Any) -> bool:
            result = a == b
            return bool(result.all()) if isinstance(result, Tensor) else bool(result)
        return isinstance(other, AffineTransform) and same(self.loc, other.loc) and same(self.scale, other.scale)

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return 1 if float(self.scale) > 0 else -1 if float(self.scale) < 0 else 0

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape, scale = tuple(x.shape), self.scale
        logs = scale.abs().log() if isinstance(scale, Tensor) else _t.full_like(x, math.log(abs(scale)))
        if self.event_dim:
            logs = logs.expand(broadcast_shapes(tuple(logs.shape), shape))
            logs = sum_rightmost(logs, self.event_dim)
            shape = shape[:-self.event_dim]
        return logs.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(tuple(shape), tuple(getattr(self.loc, "shape", ())), tuple(getattr(self.scale, "shape", ())))

    inverse_shape = forward_shape
