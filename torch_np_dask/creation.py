"""Arrays whose blocks Dask's own functions do not make of our arrays.

`linspace` and `eye` of `dask.array` ask no backend and always have NumPy's chunks; these have ours. `arange` is what the backend gives
as `dask.array.arange`.
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
    """Numbers from `start` (0, if there is one number only) to before `stop`, `step` apart. With `like`, of the class of that array.

    Shapes: (n). Dtypes: `dtype`, or that of the numbers. Errors: TypeError without a number, ZeroDivisionError for a step of 0.
    Source: `dask.array.arange`.
    """
    if like is not None:
        with config.set({"array.backend": "numpy"}):  # where that function is Dask's own
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
    # Of the first number of the block, not of the array, so that large numbers and small steps give what Dask's blocks have.
    return np.arange(start + rows[0] * step, start + rows[1] * step, step)[:n] if n else np.arange(start, start, step)


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True, retstep: bool = False, chunks: Any = "auto",
             dtype: Any = None) -> da.Array | tuple[da.Array, float]:
    """`num` numbers from `start` to `stop` at equal distances, as a Dask array with chunks of torch_np; with `retstep`, and the distance.

    Shapes: (num). Dtypes: `dtype`, float64 by default; integers are the next below. Errors: ValueError if `num` is negative. Source: `dask.array.linspace`.
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
        x[-1] = stop  # exactly, whatever the steps were rounded to
    return np.floor(x) if integers else x  # as NumPy's: a conversion would round towards 0


def eye(N: int, chunks: Any = "auto", M: int | None = None, k: int = 0, dtype: Any = float) -> da.Array:
    """A matrix with ones on its `k`-th diagonal and zeros elsewhere, as a Dask array with chunks of torch_np.

    Shapes: (N, M), (N, N) without `M`. Errors: ValueError for negative sizes. Source: `dask.array.eye`.
    """
    M = N if M is None else M
    if N < 0 or M < 0:
        raise ValueError(f"eye(): a matrix of {N} rows and {M} columns has a negative size")
    return _blocks(_eye_block, (N, M), chunks, dtype, k)


def _eye_block(rows, columns, k):
    return np.eye(rows[1] - rows[0], columns[1] - columns[0], k + rows[0] - columns[0], dtype=bool)


def _blocks(function: Callable[..., Any], shape: tuple[int, ...], chunks: Any, dtype: Any, *args: Any) -> da.Array:
    """An array of the blocks `function(*ranges, *args)`. `ranges`: where the block begins and ends, a pair for each axis."""
    dtype = _numpy.dtype(dtype)
    return da.map_blocks(_block, function, args, dtype, chunks=da.core.normalize_chunks(chunks, shape, dtype=dtype), dtype=dtype,
                         meta=np.empty((0,) * len(shape), dtype=dtype))


def _block(function, args, dtype, block_info=None):
    return function(*block_info[None]["array-location"], *args).astype(dtype, copy=False)
