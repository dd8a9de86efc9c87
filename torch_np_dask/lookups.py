"""Registers the functions that Dask looks up by a chunk's class (`dask.array.dispatch`), and the
class itself as a chunk type.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as _numpy
from dask.array import register_chunk_type
from dask.array.dispatch import (concatenate_lookup, divide_lookup, einsum_lookup, empty_lookup, nannumel_lookup, numel_lookup,
                                 percentile_lookup, take_lookup, tensordot_lookup, to_numpy_dispatch)
from dask.utils import Dispatch

import torch_np.numpy as np

to_torch_np = Dispatch("to_torch_np")


def register() -> None:
    """Registers the functions of this file with Dask."""
    register_chunk_type(np.ndarray)
    concatenate_lookup.register(np.ndarray, np.concatenate)
    take_lookup.register(np.ndarray, np.take)
    tensordot_lookup.register(np.ndarray, np.tensordot)
    einsum_lookup.register(np.ndarray, np.einsum)
    empty_lookup.register(np.ndarray, np.empty)
    divide_lookup.register(np.ndarray, np.divide)
    percentile_lookup.register(np.ndarray, percentile)
    numel_lookup.register(np.ndarray, numel)
    nannumel_lookup.register(np.ndarray, nannumel)
    to_numpy_dispatch.register(np.ndarray, to_numpy)
    to_torch_np.register((np.ndarray, _numpy.ndarray, _numpy.generic), np.asarray)


def percentile(a: np.ndarray, q: Any, method: str = "linear") -> tuple[np.ndarray | None, int]:
    """Percentiles of a chunk and its number of elements, which Dask merges with those of the other
    chunks.

    Args:
      a: the chunk
      q: percentages
      method: interpolation method

    Shapes: `a` (n,), the percentiles as `q`.
    """
    if len(a) == 0:
        return None, 0
    # Non-numeric dtypes such as bool cannot be interpolated.
    return np.percentile(a, np.asarray(q), method=method if a.dtype.kind in "iufc" else "nearest"), len(a)


def numel(x: np.ndarray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, dtype: Any = _numpy.float64,
          **kwargs: Any) -> Any:
    """The number of elements in each sum of `x` over `axis`, the divisor of a mean.

    Args:
      x: the chunk
      axis: axis or axes of the sum, all by default
      keepdims: keep the reduced axes with size 1
      dtype: dtype of the result
      kwargs: ignored

    Shapes: those of the sums.
    """
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    reduced = {a % x.ndim for a in axes}
    count = math.prod(x.shape[a] for a in reduced)
    if keepdims:
        shape = tuple(1 if i in reduced else n for i, n in enumerate(x.shape))
    else:
        shape = tuple(n for i, n in enumerate(x.shape) if i not in reduced)
    if not shape:
        return _numpy.dtype(dtype).type(count)
    return np.broadcast_to(np.array(count, dtype=dtype), shape)


def nannumel(x: np.ndarray, **kwargs: Any) -> Any:
    """The number of elements that are not NaN in each sum of `x`.

    Args:
      x: the chunk
      kwargs: arguments of the sum, such as `axis`

    Shapes: those of the sums.
    """
    return np.sum(~np.isnan(x), **kwargs)


def to_numpy(data: np.ndarray, **kwargs: Any) -> _numpy.ndarray:
    """A chunk as a NumPy array that shares its memory.

    Args:
      data: the chunk
      kwargs: arguments of `numpy.asarray`

    Shapes: as `data`.
    Errors: TypeError for an array on a device or with a gradient.
    """
    return _numpy.asarray(data, **kwargs)
