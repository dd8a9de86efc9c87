"""Transforms onto the simplex."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np.distributions import constraints
from torch_np.distributions.transforms._elementwise import _clipped_sigmoid
from torch_np.distributions.transforms._transform import PlainTransform
from torch_np.distributions.utils import tiny_of
from torch_np.nn import functional as F

_t = _C._torch


class SoftmaxTransform(PlainTransform):
    """The softmax; it is not bijective, and its inverse, the logarithm, is exact up to a constant.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., K), both.
    Errors: ValueError for an input without axes.
    """

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(PlainTransform):
    """Maps K - 1 numbers to K numbers on the simplex; each number breaks off a part of the rest of
    the stick.

    Args:
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., K - 1) to (..., K).
    Errors: ValueError for an input without axes.
    """

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True

    def _offset(self, x):
        return x.shape[-1] + 1 - _t.ones(x.shape[-1], dtype=x.dtype, device=x.device).cumsum(-1)

    def _call(self, x: Any) -> Any:
        z = _clipped_sigmoid(x - self._offset(x).log())
        rest = (1 - z).cumprod(-1)
        return F.pad(z, [0, 1], value=1) * F.pad(rest, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        cut = y[..., :-1]
        offset = y.shape[-1] - _t.ones(cut.shape[-1], dtype=y.dtype, device=y.device).cumsum(-1)
        rest = (1 - cut.cumsum(-1)).clamp(min=tiny_of(y.dtype))
        return cut.log() - rest.log() + offset.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - self._offset(x).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return type(shape)((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return type(shape)((*shape[:-1], shape[-1] - 1))
