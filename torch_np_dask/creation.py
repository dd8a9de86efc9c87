"""Dask arrays created with chunks of torch_np, for the functions that do not ask the backend.

`dask.array`'s own `linspace` and `eye` always have NumPy chunks. The backend's `arange` becomes
`dask.array.arange`.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as _numpy
from dask import config

import torch_np.numpy as np


def arange(start: float | None = None, /, stop: float | None = None, step: float = 1, *, chunks: Any = "auto", like: Any = None,
           dtype: Any = None) -> da.Array:
    """Evenly spaced numbers in a half-open interval, as a Dask array.

    Args:
      start: first number, 0 if only one number is given
      stop: end, which is not included
      step: difference of two numbers
      chunks: chunk sizes
      like: array whose class the chunks have
      dtype: dtype of the result

    Shapes: (n).
    Dtypes: `dtype`, by default that of the numbers.
    Errors: TypeError without a number, ZeroDivisionError for a step of 0.
    Source: `dask.array.arange`.
    """
    if like is not None:
        with config.set({"array.backend": "numpy"}):  # so that da.arange is Dask's own function
            return da.arange(start, stop, step, chunks=chunks, like=like, dtype=dtype)
    if stop is None:
        if start is None:
            raise TypeError("arange() requires stop to be specified.")
        start, stop = 0, start
    begin = 0 if start is None else start
    count = max(math.ceil((stop - begin) / step), 0)
    if dtype is None:
        dtype = np.arange(type(begin)(0), type(stop)(0), step).dtype
    return _blocks(_arange_block, (count,), chunks, dtype, begin, step)


def _arange_block(rows, start, step):
    n = rows[1] - rows[0]
    # Counts from the block's first number, as Dask's blocks do, so that rounding gives the same
    # values.
    return np.arange(start + rows[0] * step, start + rows[1] * step, step)[:n] if n else np.arange(start, start, step)


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True, retstep: bool = False, chunks: Any = "auto",
             dtype: Any = None) -> da.Array | tuple[da.Array, float]:
    """Evenly spaced numbers over an interval, as a Dask array with chunks of torch_np.

    Args:
      start: first number
      stop: last number
      num: number of elements
      endpoint: whether `stop` is included
      retstep: return the difference of two numbers too
      chunks: chunk sizes
      dtype: dtype of the result

    Shapes: (num).
    Dtypes: `dtype`, float64 by default; integers are rounded down.
    Errors: ValueError if `num` is negative.
    Source: `dask.array.linspace`.
    """
    if num < 0:
        raise ValueError(f"linspace(): num is {num}, and no array has fewer than 0 elements")
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    last = num - 1 if endpoint and num > 1 else None
    dtype = _numpy.dtype(float if dtype is None else dtype)
    x = _blocks(_linspace_block, (num,), chunks, dtype, start, step, last, stop, dtype.kind in "iu")
    return (x, step) if retstep else x


def _linspace_block(rows, start, step, last, stop, integers):
    x = start + step * np.arange(*rows)
    if last is not None and rows[0] <= last < rows[1]:
        x[-1] = stop  # the exact end, without the rounding of the steps
    return np.floor(x) if integers else x  # NumPy rounds down; a conversion would round towards 0


def eye(N: int, chunks: Any = "auto", M: int | None = None, k: int = 0, dtype: Any = float) -> da.Array:
    """A matrix with ones on a diagonal and zeros elsewhere, as a Dask array with chunks of
    torch_np.

    Args:
      N: number of rows
      chunks: chunk sizes
      M: number of columns, `N` by default
      k: offset of the diagonal
      dtype: dtype

    Shapes: (N, M).
    Errors: ValueError for negative sizes.
    Source: `dask.array.eye`.
    """
    M = N if M is None else M
    if N < 0 or M < 0:
        raise ValueError(f"eye(): a matrix of {N} rows and {M} columns has a negative size")
    return _blocks(_eye_block, (N, M), chunks, dtype, k)


def _eye_block(rows, columns, k):
    return np.eye(rows[1] - rows[0], columns[1] - columns[0], k + rows[0] - columns[0], dtype=bool)


def _blocks(function: Callable[..., Any], shape: tuple[int, ...], chunks: Any, dtype: Any, *args: Any) -> da.Array:
    """A Dask array whose blocks are `function(*ranges, *args)`; `ranges` has the start and end of
    the block for each axis.
    """
    dtype = _numpy.dtype(dtype)
    return da.map_blocks(_block, function, args, dtype, chunks=da.core.normalize_chunks(chunks, shape, dtype=dtype), dtype=dtype,
                         meta=np.empty((0,) * len(shape), dtype=dtype))


def _block(function, args, dtype, block_info=None):
    return function(*block_info[None]["array-location"], *args).astype(dtype, copy=False)
