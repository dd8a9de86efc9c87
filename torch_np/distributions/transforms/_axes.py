"""Transforms that change which axes make up one value."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Size
from torch_np.distributions import constraints
from torch_np.distributions.transforms._transform import Transform
from torch_np.distributions.utils import sum_rightmost

_t = _C._torch


class IndependentTransform(Transform):
    """A transform whose last batch axes are reinterpreted as axes of one value.

    Args:
      base_transform: the transform
      reinterpreted_batch_ndims: number of axes
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: the base's; the Jacobian is without these axes.
    Errors: ValueError if the input has fewer axes than x.
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _check(self, x, dim):
        if x.dim() < dim:
            raise ValueError("Too few dimensions on input")

    def _call(self, x: Any) -> Any:
        self._check(x, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        self._check(y, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Reshapes the last axes.

    Args:
      in_shape: sizes of the last axes of x
      out_shape: sizes of the last axes of y
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: (..., *in_shape) to (..., *out_shape).
    Errors: ValueError unless `in_shape` and `out_shape` have the same number of elements, and for
    inputs that do not end in `in_shape`.
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Any) -> Any:
        return x.reshape((*x.shape[:x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape((*y.shape[:y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return _t.zeros(tuple(x.shape[:x.dim() - len(self.in_shape)]), dtype=x.dtype, device=x.device)

    def _other_shape(self, shape, own, other):
        if len(shape) < len(own):
            raise ValueError("Too few dimensions on input")
        cut = len(shape) - len(own)
        if tuple(shape[cut:]) != tuple(own):
            raise ValueError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {own}")
        return Size((*shape[:cut], *other))

    def forward_shape(self, shape: Any) -> Any:
        return self._other_shape(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._other_shape(shape, self.out_shape, self.in_shape)
