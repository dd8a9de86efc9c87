"""Histograms: counterpart of numpy.lib._histograms_impl."""
from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _differentiation, _native as nx, _values
from torch_np.numpy._constants import inf
from torch_np.numpy._dtypes import kind_of, result_type
from torch_np.numpy._fromnumeric import ndim
from torch_np.numpy._function_base import linspace
from torch_np.numpy._function_base_impl.calculus import diff
from torch_np.numpy._function_base_impl.elements import iterable
from torch_np.numpy._function_base_impl.statistics import percentile
from torch_np.numpy._shape_base import atleast_2d

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["histogram", "histogram_bin_edges", "histogramdd"]


@_declare.base_class
def histogram_bin_edges(a: ArrayLike, bins: Any = 10, range: Sequence[float] | None = None, weights: ArrayLike | None = None) -> ndarray:
    """Returns the edges of the bins that `histogram` would use.

    Args:
      a: Input array.
      bins: Number of bins, edges, or a rule: 'auto', 'fd', 'doane', 'scott', 'stone', 'rice',
        'sturges' or 'sqrt'.
      range: Lowest and highest edge; None is the range of the elements.
      weights: Must be None for a rule.

    Shapes: `a` any, the result (n + 1,).
    Errors: ValueError for invalid bins or range, or an unknown rule; TypeError for a rule together
    with `weights`, and if `bins` has an unsupported type.
    """
    a = nx.asarray(a).ravel()
    if a.dtype.kind == "b":
        warnings.warn("Converting input from bool to uint8 for compatibility.", RuntimeWarning, stacklevel=3)
        a = a.astype(_numpy.uint8)
    if isinstance(bins, str):
        bins = _estimated_bins(a, bins, range, weights)
    if not iterable(bins):
        try:
            n = operator.index(bins)
        except TypeError:
            raise TypeError("`bins` must be an integer, a string, or an array") from None
        if n < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = _outer_edges(a, range)
        dtype = result_type(low, high, a.dtype) if kind_of(a) == "f" else _numpy.float64
        edges = linspace(low, high, n + 1, dtype=dtype)
        if _values.is_found(edges[:-1] >= edges[1:]):
            raise ValueError(f"Too many bins for data range. Cannot create {n} finite-sized bins.")
        return edges
    edges = nx.asarray(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if _values.is_found(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _outer_edges(a, range):
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif a.size == 0:
        low, high = 0, 1
    elif a.device == "meta":
        return a.min(), a.max()
    else:
        low, high = a.min(), a.max()
        if not _differentiation.compute_requires_grad(a):
            low, high = low.item(), high.item()
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _estimated_bins(a, rule, range, weights):
    """Returns a number of bins by a rule. Sources: Sturges (1926), Scott (1979), Freedman and
    Diaconis (1981), Doane (1976), Stone (1984).
    """
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    low, high = _outer_edges(a, range)
    if range is not None:
        a = a[(a >= low) & (a <= high)]
    n = a.size
    if n == 0:
        return 1
    spread = float(a.max()) - float(a.min())

    def fd():
        q75, q25 = percentile(a, [75, 25]).tolist()
        return 2.0 * (q75 - q25) * n ** (-1 / 3)

    def doane():
        if n > 2:
            sg1 = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
            sigma = float(a.std())
            if sigma > 0:
                g1 = float((((a - a.mean()) / sigma) ** 3).mean())
                return spread / (1.0 + math.log2(n) + math.log2(1.0 + abs(g1) / sg1))
        return 0.0

    def stone():
        """Returns the width with the least estimated squared error (leave-one-out
        cross-validation), for up to max(100, sqrt(n)) bins.
        """
        if n == 1 or spread == 0:
            return 0.0

        def risk(m):
            share = histogram(a, m, range)[0] / n
            return (2.0 - (n + 1) * float(share.dot(share))) * m / spread
        most = max(100, math.isqrt(n))
        best = min(_builtin_range(1, most + 1), key=risk)
        if best == most:
            warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4)
        return spread / best
    widths = {"sqrt": lambda: spread / math.sqrt(n), "sturges": lambda: spread / (math.log2(n) + 1.0),
              "rice": lambda: spread / (2.0 * n ** (1 / 3)),
              "scott": lambda: (24.0 * math.pi ** 0.5 / n) ** (1 / 3) * float(a.std()), "fd": fd, "doane": doane, "stone": stone,
              # limits the number of bins to about twice the square root of the number of elements
              "auto": lambda: min(max(fd(), spread / math.sqrt(n) / 2), spread / (math.log2(n) + 1.0))}
    if rule not in widths:
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    width = widths[rule]()
    if kind_of(a) in "iu" and 0 < width < 1:
        width = 1
    return int(math.ceil((high - low) / width)) if width else 1


@_declare.base_class
def histogram(a: ArrayLike, bins: Any = 10, range: Sequence[float] | None = None, density: bool | None = None,
              weights: ArrayLike | None = None) -> tuple[ndarray, ndarray]:
    """Computes a histogram: counts of elements in bins, and the edges of the bins. Bins are half
    open, except for the last.

    Args:
      a: Input array.
      bins: Number of bins, edges, or a rule of `histogram_bin_edges`.
      range: Lowest and highest edge; None is the range of the elements.
      density: Whether to return a probability density in place of counts.
      weights: Weights to add in place of 1.

    Shapes: `a` and `weights` the same, counts (n,), edges (n + 1,).
    Errors: ValueError for invalid bins or range, and if `weights` does not have the shape of `a`.
    """
    a = nx.asarray(a)
    if kind_of(a) == "b":
        warnings.warn("Converting input from bool to uint8 for compatibility.", RuntimeWarning, stacklevel=2)
        a = a.astype(_numpy.uint8)
    if weights is not None:
        weights = nx.asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    a = a.ravel()
    edges = histogram_bin_edges(a, bins, range, weights)
    n = edges.size - 1
    if weights is None or kind_of(weights) == "f":
        counts = nx.bincount(_bins_between(a, edges), weights, n + 2)[1:-1]
        counts = counts if weights is None else counts.astype(weights.dtype)
    else:
        place, inside = _bins_of(a, edges)
        counts = nx.zeros(n, dtype=weights.dtype)
        nx.add.at(counts, place[inside], weights[inside])
    if density:
        return counts / diff(edges).astype(float) / counts.sum(), edges
    return counts, edges


def _bins_between(x, edges):
    """Returns the bin of each element, from 1 on. Elements outside of all bins get 0 or the number
    after the last bin, so that no masks are needed.
    """
    edges = edges.astype(result_type(x, edges))
    if kind_of(edges) != "f" or not nx.isfinite(edges[-1]):
        place, inside = _bins_of(x, edges)
        return nx.where(inside, place + 1, 0)
    edges[-1] = nx.nextafter(edges[-1], inf)  # the last bin is closed
    return nx.searchsorted(edges, x, side="right")


def _bins_of(x, edges):
    """Returns the bin of each element, and whether it is in one. Bins are half open, except for the
    last.
    """
    n = edges.size - 1
    place = nx.where(x == edges[-1], n - 1, nx.searchsorted(edges, x, side="right") - 1)
    return place, (place >= 0) & (place < n)


@_declare.base_class
@_declare.takes_arrays
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None,
                weights: ArrayLike | None = None) -> tuple[ndarray, list[ndarray]]:
    """Computes a histogram of points in D dimensions. Returns the counts and a list of the edges
    along each dimension.

    Args:
      sample: Points, one in each row, or a list of coordinate arrays.
      bins: Number of bins, a list of numbers, or a list of edges for each dimension.
      range: List of lowest and highest edges; None is the range of the points.
      density: Whether to return a probability density in place of counts.
      weights: Weights to add in place of 1.

    Shapes: `sample` (points, D), or a list of D arrays (points,); `weights` (points,); counts (n1,
    ..., nD), edges (ni + 1,).
    Errors: ValueError if the number of bins or ranges is not D, and for invalid bins or ranges.
    """
    if isinstance(sample, (_C.ndarray, _numpy.ndarray)) or not hasattr(sample, "__iter__"):
        points = nx.asarray(sample)
        points = points.reshape(-1, 1) if points.ndim < 2 else points
    else:
        points = atleast_2d(nx.stack([nx.asarray(s) for s in sample])).T
    n, d = points.shape
    bins = bins if iterable(bins) else [bins] * d
    if len(bins) != d:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = [None] * d if range is None else range
    if len(ranges) != d:
        raise ValueError("range argument must have one entry per dimension")
    for i in _builtin_range(d):
        if ndim(bins[i]) == 0 and bins[i] < 1:
            raise ValueError(f"`bins[{i}]` must be positive, when an integer")
    edges = [histogram_bin_edges(points[:, i], bins[i], ranges[i]) for i in _builtin_range(d)]
    flat, inside = nx.zeros(n, dtype=_numpy.intp), nx.ones(n, dtype=bool)
    for i in _builtin_range(d):
        place, within = _bins_of(points[:, i], edges[i])
        inside = inside & within
        flat = flat * (edges[i].size - 1) + place
    shape = tuple(e.size - 1 for e in edges)
    if math.prod(shape) > _numpy.iinfo(_numpy.intp).max:
        raise ValueError(f"a histogram of shape {shape} is larger than the maximum possible size")
    counts = nx.bincount(flat[inside], None if weights is None else nx.asarray(weights)[inside], math.prod(shape))
    counts = counts.astype(float).reshape(shape)
    if density:
        total = counts.sum()
        for i in _builtin_range(d):
            side = [1] * d
            side[i] = shape[i]
            counts = counts / diff(edges[i]).reshape(side)
        counts = counts / total
    return counts, edges


_builtin_range = range
