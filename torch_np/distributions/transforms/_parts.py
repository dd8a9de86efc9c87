"""Transforms of the parts of an axis."""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np.distributions import constraints
from torch_np.distributions.transforms._transform import Transform
from torch_np.distributions.utils import sum_rightmost

_t = _C._torch


class _OfParts(Transform):
    """Base class with one transform for each part of the axis `dim`."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms: list[Transform] = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        return all(t.bijective for t in self.transforms)


class CatTransform(_OfParts):
    """Applies one transform to each part of an axis.

    Args:
      tseq: the transforms
      dim: the axis
      lengths: lengths of the parts, 1 each by default
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: any with the sum of `lengths` along `dim`.
    Errors: AssertionError if the size of the input along `dim` is not the sum of `lengths`, if
    there is not one length for each transform, and if an item of `tseq` is not a Transform.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError("there must be as many lengths as transforms")

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The length of the axis."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x):
        if not -x.dim() <= self.dim < x.dim() or x.shape[self.dim] != self.length:
            raise AssertionError(f"the axis {self.dim} should have the length {self.length}")
        starts = [0, *itertools.accumulate(self.lengths)]
        return [x.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths, strict=False)]

    def _call(self, x: Any) -> Any:
        return _t.cat([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return _t.cat([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        logs = []
        for t, a, b in zip(self.transforms, self._parts(x), self._parts(y), strict=True):
            part = t.log_abs_det_jacobian(a, b)
            logs.append(sum_rightmost(part, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else part)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        if dim < 0:
            return _t.cat(logs, dim)
        total = logs[0]
        for part in logs[1:]:
            total = total + part
        return total

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_OfParts):
    """Applies one transform to each index along an axis.

    Args:
      tseq: the transforms
      dim: the axis
      cache_size: 1 to cache the last pair of x and y, 0 not to

    Shapes: any with as many elements along `dim` as there are transforms.
    Errors: AssertionError if the size of the input along `dim` is not the number of transforms, and
    if an item of `tseq` is not a Transform.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _slice(self, z: Any) -> list[Any]:
        if not -z.dim() <= self.dim < z.dim() or z.shape[self.dim] != len(self.transforms):
            raise AssertionError(f"the axis {self.dim} should have the length {len(self.transforms)}")
        return [z.select(self.dim, i) for i in range(z.shape[self.dim])]

    def _call(self, x: Any) -> Any:
        return _t.stack([t(part) for t, part in zip(self.transforms, self._slice(x), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return _t.stack([t.inv(part) for t, part in zip(self.transforms, self._slice(y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, self._slice(x), self._slice(y), strict=True)
        return _t.stack([t.log_abs_det_jacobian(a, b) for t, a, b in parts], self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
