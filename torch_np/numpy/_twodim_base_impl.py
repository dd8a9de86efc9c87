"""Diagonal and Vandermonde matrices, and the indices of triangles."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._dtypes import common_dtype
from torch_np.numpy._function_base_impl.elements import iterable
from torch_np.numpy._histograms_impl import histogramdd

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["diagflat", "histogram2d", "mask_indices", "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from", "vander"]


def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    """Makes a matrix with given elements on a diagonal, and zeros elsewhere.

    Args:
      v: Elements of the diagonal, flattened.
      k: Index of the diagonal: above 0 to the right of the main diagonal, below 0 to the left.

    Shapes: `v` any, of n elements; the result (n + |k|, n + |k|).
    """
    return nx.diag(nx.asarray(v).ravel(), k)


_INT = _numpy.dtype(int)


@_declare.base_class
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    """Makes a Vandermonde matrix, whose columns are powers of a vector.

    Args:
      x: The vector.
      N: Number of columns; None is the length of `x`.
      increasing: Whether powers increase from left to right.

    Shapes: `x` (n,), the result (n, N).
    Errors: ValueError unless `x` is 1-d, and for a negative `N`.
    """
    x = nx.asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = len(x) if N is None else N
    if n < 0:
        raise ValueError(f"vander(): the number of columns is negative: {n}")
    dtype = x.dtype if x.dtype.char in "ldD" else common_dtype(x, _INT)
    if dtype.kind not in "iu":
        return _running_powers(x.astype(dtype), n, increasing)
    powers = nx.arange(n, device=x.device) if increasing else nx.arange(n - 1, -1, -1, device=x.device)
    return x.astype(dtype, copy=False).reshape((-1, 1)) ** powers


def _running_powers(x, n, increasing):
    columns = [nx.ones_like(x)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    columns = columns[:n]
    if not columns:
        return nx.empty((len(x), 0), dtype=x.dtype, device=x.device)
    return nx.stack(columns if increasing else columns[::-1], axis=1)


def mask_indices(n: int, mask_func: Any, k: int = 0) -> tuple[ndarray, ...]:
    """Returns the indices of the non-zero elements of `mask_func(ones((n, n)), k)`.

    Args:
      n: Size of the matrix.
      mask_func: Function of a matrix and `k`, such as `triu`.
      k: Second argument of the function.

    Shapes: two results (number of elements,).
    """
    return nx.nonzero(_C._outermost(mask_func, nx.ones((n, n), int), k) != 0)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Returns the indices of the lower triangle of a matrix.

    Args:
      n: Number of rows.
      k: Index of the highest diagonal that is included.
      m: Number of columns; None is `n`.

    Shapes: two results (number of elements,).
    """
    return nx.nonzero(nx.tri(n, m, k=k, dtype=bool))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Returns the indices of the upper triangle of a matrix.

    Args:
      n: Number of rows.
      k: Index of the lowest diagonal that is included.
      m: Number of columns; None is `n`.

    Shapes: two results (number of elements,).
    """
    return nx.nonzero(~nx.tri(n, m, k=k - 1, dtype=bool))


@_declare.base_class
def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """Returns the indices of the lower triangle of a given matrix.

    Args:
      arr: The matrix.
      k: Index of the highest diagonal that is included.

    Shapes: `arr` (n, m), two results (number of elements,).
    Errors: ValueError unless `arr` is 2-d.
    """
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@_declare.base_class
def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """Returns the indices of the upper triangle of a given matrix.

    Args:
      arr: The matrix.
      k: Index of the lowest diagonal that is included.

    Shapes: `arr` (n, m), two results (number of elements,).
    Errors: ValueError unless `arr` is 2-d.
    """
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@_declare.base_class
@_declare.takes_arrays
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool | None = None,
                weights: ArrayLike | None = None) -> tuple[ndarray, ndarray, ndarray]:
    """Computes a histogram of points in two dimensions. Returns the counts, the edges of x and the
    edges of y.

    Args:
      x: First coordinates.
      y: Second coordinates.
      bins: Number of bins, edges, or a pair of these for x and y.
      range: Lowest and highest edges of x and y; None is the range of the points.
      density: Whether to return a probability density in place of counts.
      weights: Weights to add in place of 1.

    Shapes: `x`, `y` and `weights` (points,); counts (nx, ny), edges (nx + 1,) and (ny + 1,).
    Errors: ValueError for `x` and `y` of different lengths, and for invalid bins or ranges.
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if iterable(bins) and len(bins) not in (1, 2):
        bins = [nx.asarray(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]
