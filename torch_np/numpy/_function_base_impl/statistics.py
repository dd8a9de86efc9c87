"""Order statistics, averages, correlation."""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_tuple

from torch_np.numpy import _arguments, _declare, _native as nx, _values
from torch_np.numpy._dtypes import common_dtype, kind_of
from torch_np.numpy._fromnumeric import size
from torch_np.numpy._multiarray import copyto

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

__all__ = ["average", "corrcoef", "cov", "digitize", "median", "percentile", "quantile"]

_no: Any = _numpy._NoValue


@_declare.value
def average(a: ArrayLike, axis: Axes | None = None, weights: ArrayLike | None = None, returned: bool = False, *,
            keepdims: bool = _no) -> Any:
    """Weighted mean over axes; with `returned` the pair (mean, sum of weights).

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      weights: Weights of the elements; None is 1.
      returned: Whether to return the sum of weights too.
      keepdims: Whether reduced axes stay in the result, with size 1.

    Shapes: `weights` as `a`, or the sizes of its `axis`; the results lack the axes in `axis`, or
    have them with size 1 if `keepdims`.
    Errors: TypeError or ValueError if the shape of the weights matches neither `a` nor `axis`,
    ZeroDivisionError if they sum to 0.
    """
    a = nx.asarray(a)
    keep: dict[str, Any] = {} if keepdims is _no else {"keepdims": keepdims}
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights is None:
        out = a.mean(axis, **keep)
        # an empty result raises ZeroDivisionError, as in NumPy
        scale = nx.full_like(out, a.size / out.size)
    else:
        w = nx.asarray(weights)
        dtype = common_dtype(a, w, *([_numpy.dtype(float)] if kind_of(a) in "biu" else []))
        if a.shape != w.shape:
            w = _along_axes(w, a, axes)
        scale = nx.broadcast_to(w, a.shape).sum(axis=axes, dtype=dtype, **keep)
        if _values.is_found(scale == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        out = nx.multiply(a, w, dtype=dtype).sum(axes, **keep) / scale
    if returned:
        return out, nx.broadcast_to(scale, out.shape).copy() if scale.shape != out.shape else scale
    return out


def _along_axes(w, a, axes):
    """Reshapes weights that lie along `axes` of `a`, so that they broadcast with it."""
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(a.shape[d] for d in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    w = w.transpose(sorted(range(len(axes)), key=axes.__getitem__)) if len(axes) > 1 else w
    return w.reshape(tuple(n if d in axes else 1 for d, n in enumerate(a.shape)))


def _move_axes_last(a, axis):
    """Merges the axes to reduce into the last one."""
    if axis is None:
        return a.ravel(), tuple(range(a.ndim))
    axes = normalize_axis_tuple(axis, a.ndim, argname="axis")
    kept = [d for d in range(a.ndim) if d not in axes]
    moved = a.transpose(kept + list(axes))
    return moved.reshape([a.shape[d] for d in kept] + [math.prod(a.shape[d] for d in axes)]), axes


def _finish(out, a, axes, keepdims, into):
    """Restores the shape of a result of `_move_axes_last`, and writes it to `out=`. Leading axes of
    `out` (quantiles) stay in front.
    """
    if keepdims:
        lead = out.ndim - (a.ndim - len(axes))
        out = out.reshape(out.shape[:lead] + tuple(1 if d in axes else n for d, n in enumerate(a.shape)))
    if into is not None:
        if not size(into) == out.size == 1:
            _arguments.check_out_shape(into, out)
        copyto(into, out, casting="unsafe")
        return into
    return out


@_declare.value
def median(a: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
           keepdims: bool = False) -> ndarray:
    """Median over axes: the middle of the sorted elements, or the mean of the two middle ones. It
    is NaN if there is a NaN.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      overwrite_input: Ignored.
      keepdims: Whether reduced axes stay in the result, with size 1.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    Errors: ValueError if `out` does not have the shape of the result.
    """
    a = nx.asarray(a)
    rows, axes = _move_axes_last(a, axis)
    n = rows.shape[-1]
    if n == 0:
        return _finish(rows.mean(axis=-1), a, axes, keepdims, out)  # mean of nothing: NaN, with a warning
    ordered = nx.sort(rows, axis=-1)
    middle = ordered[..., (n - 1) // 2:n // 2 + 1].mean(axis=-1)
    if kind_of(rows) in "fc":
        last = ordered[..., -1]             # NaNs sort last
        middle = nx.where(nx.isnan(last), last, middle)
    return _finish(middle, a, axes, keepdims, out)


# Position, counted from 0, of quantile q among n sorted elements. Source: Hyndman and Fan, The
# American Statistician 50 (1996) 361-365: their nine methods, and the discontinuous ones that NumPy
# adds.
_CONTINUOUS = {  # (alpha, beta): position n q + (alpha + q (1 - alpha - beta)) - 1
    "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "linear": (1, 1),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8)}


def _positions(method, n, q):
    """Returns the lower index and the weight of the next element of each quantile, clipped to [0, n
    - 1].
    """
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        virtual = n * q + (alpha + q * (1 - alpha - beta)) - 1 if method != "linear" else (n - 1) * q
    elif method == "inverted_cdf":
        virtual = nx.ceil(n * q) - 1
    elif method == "averaged_inverted_cdf":
        virtual = n * q - 1
        whole = virtual == nx.floor(virtual)
        virtual = nx.where(whole, nx.floor(virtual) + 0.5, nx.floor(virtual) + 1)
    elif method == "closest_observation":
        virtual = n * q - 1 - 0.5
        low = nx.floor(virtual)
        virtual = nx.where((virtual == low) & (low % 2 == 1), low, low + 1)
    elif method in ("lower", "higher", "midpoint", "nearest"):
        virtual = (n - 1) * q
        if method == "nearest":
            virtual = nx.rint(virtual)
        elif method == "midpoint":
            virtual = 0.5 * (nx.floor(virtual) + nx.ceil(virtual))
        else:
            virtual = nx.floor(virtual) if method == "lower" else nx.ceil(virtual)
    else:
        raise ValueError(f"{method!r} is not a valid method. Use one of: "
                         f"{sorted([*_CONTINUOUS, 'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'lower', 'higher', 'midpoint', 'nearest'])}")
    virtual = nx.asarray(virtual).clip(0, n - 1)
    low = nx.floor(virtual)
    return low.astype(_numpy.intp), virtual - low


@_declare.value
@_declare.base_class
def quantile(a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False, *, weights: ArrayLike | None = None) -> ndarray:
    """Quantiles over axes: the values below which given shares of the elements lie.

    Args:
      a: Input array of real numbers.
      q: Quantile or quantiles, from 0 to 1.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      overwrite_input: Ignored.
      method: Method of interpolation between elements: 'linear', 'lower', 'higher', 'midpoint',
        'nearest', 'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation',
        'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased' or 'normal_unbiased'.
      keepdims: Whether reduced axes stay in the result, with size 1.
      weights: Weight of each element, for the method 'inverted_cdf'.

    Shapes: `q` (...), the result (..., those of `a` without the axes in `axis`, or with size 1
    there if `keepdims`); `weights` as `a`, or the sizes of its `axis`.
    Errors: ValueError for q out of range or an unknown `method`, TypeError for complex `a`.
    """
    return _in_class_of(a, _quantile(*_levels(a, q, 1), axis, out, method, keepdims, weights), out)


def _in_class_of(a, quantiles, out):
    """Converts several quantiles to the class of `a`. A single quantile is a scalar, also for a
    subclass.
    """
    return quantiles if out is not None or not quantiles.ndim else _declare.in_class_of(quantiles, a)


def _levels(a: ArrayLike, q: ArrayLike, whole: int) -> tuple[ndarray, ndarray, bool]:
    """Returns `a` and `q` / `whole` as arrays, and whether `q` is a Python number, which does not
    affect the dtype.
    """
    a = nx.asarray(a)
    if kind_of(a) == "c":
        raise TypeError("a must be an array of real numbers")
    weak, q = type(q) in (int, float), nx.asarray(q)
    q = q if whole == 1 else nx.true_divide(q, whole)
    if q.size and _values.is_found(~((q >= 0) & (q <= 1))):
        raise ValueError("Quantiles must be in the range [0, 1]" if whole == 1 else f"Percentiles must be in the range [0, {whole}]")
    return a, q, weak


def _quantile(a, q, weak, axis, out, method, keepdims, weights):
    # the smallest or the largest element, without interpolation
    ends_only = kind_of(q) in "biu" and method == "linear"
    if kind_of(q) != "f":
        q = q.astype(float)
    rows, axes = _move_axes_last(a, axis)
    n = rows.shape[-1]
    if weights is not None:
        return _finish(_weighted_quantile(a, rows, q, axis, weights, method), a, axes, keepdims, out)
    if n == 0:
        result = nx.full(q.shape + rows.shape[:-1], _numpy.nan, device=rows.device)
        return _finish(result, a, axes, keepdims, out)
    ordered = nx.sort(rows, axis=-1)
    low, weight = _positions(method, n, q.ravel())
    discrete = ends_only or method in ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
    below = nx.moveaxis(ordered[..., low], -1, 0)
    if discrete:
        result = below
    else:
        # an infinity must not take part with weight 0
        above = nx.moveaxis(ordered[..., (low + (weight > 0)).clip(0, n - 1)], -1, 0)
        w = weight.reshape((-1,) + (1,) * (below.ndim - 1))
        w = w.astype(rows.dtype) if weak and kind_of(rows) == "f" else w.astype(q.dtype)
        step = above - below
        # Interpolates from the nearer end, so that the result is monotonic in q.
        result = nx.where(w < 0.5, below + step * w, above - step * (1 - w))
    if kind_of(rows) == "f":
        last = ordered[..., -1]
        result = nx.where(nx.isnan(last), last, result)
    result = nx.ascontiguousarray(result) if q.ndim else result
    return _finish(result.reshape(q.shape + rows.shape[:-1]), a, axes, keepdims, out)


def _weighted_quantile(a, rows, q, axis, weights, method):
    """Returns the smallest element up to which at least the share q of all weight lies. Its shape
    is that of q, then that of the rows.
    """
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    w = nx.asarray(weights)
    if kind_of(w) not in "biuf":
        raise TypeError("weights must be real numbers")
    if _values.is_found(w < 0):
        raise ValueError("Weights must be non-negative.")
    if w.shape != a.shape:
        axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, argname="axis")
        w = nx.broadcast_to(_along_axes(w, a, axes), a.shape)
    w = _move_axes_last(w, axis)[0].astype(float)
    order = rows.argsort(axis=-1, kind="stable")
    ordered = nx.take_along_axis(rows, order, axis=-1)
    cumulative = nx.cumsum(nx.take_along_axis(w, order, axis=-1), axis=-1)
    total = cumulative[..., -1:]
    if _values.is_found(~nx.isfinite(total) | (total == 0)):
        raise ValueError("Weights included NaN, inf or were all zero.")
    cumulative = cumulative / total
    results = []
    for level in q.ravel():
        # elements of weight zero are skipped, even for q = 0
        place = ((cumulative < level) | (cumulative == 0)).sum(axis=-1, keepdims=True).clip(0, rows.shape[-1] - 1)
        results.append(nx.take_along_axis(ordered, place, axis=-1)[..., 0])
    result = nx.stack(results)
    if kind_of(rows) == "f":
        last = ordered[..., -1]
        result = nx.where(nx.isnan(last), last, result)
    return result.reshape(q.shape + rows.shape[:-1])


@_declare.value
@_declare.base_class
def percentile(a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
               method: str = "linear", keepdims: bool = False, *, weights: ArrayLike | None = None) -> ndarray:
    """Percentiles over axes: the values below which given percentages of the elements lie.

    Args:
      a: Input array of real numbers.
      q: Percentile or percentiles, from 0 to 100.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      overwrite_input: Ignored.
      method: Method of interpolation between elements, as in `quantile`.
      keepdims: Whether reduced axes stay in the result, with size 1.
      weights: Weight of each element, for the method 'inverted_cdf'.

    Shapes: `q` (...), the result (..., those of `a` without the axes in `axis`, or with size 1
    there if `keepdims`); `weights` as `a`, or the sizes of its `axis`.
    Errors: ValueError for q outside [0, 100] or an unknown `method`, TypeError for complex `a`.
    """
    return _in_class_of(a, _quantile(*_levels(a, q, 100), axis, out, method, keepdims, weights), out)


@_declare.base_class
def cov(m: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, bias: bool = False, ddof: float | None = None,
        fweights: ArrayLike | None = None, aweights: ArrayLike | None = None, *, dtype: NumPyDTypeLike | None = None) -> ndarray:
    """Covariance matrix of variables.

    Args:
      m: Samples, with a variable in each row.
      y: Further variables, in the same form.
      rowvar: Whether variables are in rows; otherwise they are in columns.
      bias: Whether the divisor is the number of samples n; otherwise it is n - 1.
      ddof: Replaces `bias`: the divisor is n - `ddof`.
      fweights: Integer number of times that each sample occurs.
      aweights: Weight of each sample.
      dtype: Dtype of the result; None is at least float64.

    Shapes: `m` and `y` (n,) or (variables, n); `fweights` and `aweights` (n,); the result (all
    variables, all variables), or 0-d for a single variable.
    Errors: ValueError for more than 2 axes or a non-integer `ddof`, RuntimeError or TypeError for
    wrong weights.
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = nx.asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None:
        y = nx.asarray(y)
        if y.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
    if dtype is None:
        dtype = common_dtype(m, _numpy.dtype(float), *(() if y is None else (y,)))
    x = nx.array(m, ndmin=2, dtype=dtype)
    if not rowvar and m.ndim != 1:
        x = x.T
    if x.shape[0] == 0:
        return nx.zeros((0, 0), device=m.device)
    if y is not None:
        y = nx.array(y, copy=None, ndmin=2, dtype=dtype)
        x = nx.concatenate((x, y.T if not rowvar and y.shape[0] != 1 else y), axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w: Any = None
    for given, name in ((fweights, "fweights"), (aweights, "aweights")):
        if given is None:
            continue
        given = nx.asarray(given, dtype=float)
        if name == "fweights" and _values.is_found(given != nx.rint(given)):
            raise TypeError("fweights must be integer")
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.shape[0] != x.shape[1]:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if _values.is_found(given < 0):
            raise ValueError(f"{name} cannot be negative")
        w = given if w is None else w * given
    mean, w_sum = average(x, axis=1, weights=w, returned=True)
    w_sum = w_sum[0]
    if w is None:
        factor: Any = x.shape[1] - ddof
    elif ddof == 0:
        factor = w_sum
    elif aweights is None:
        factor = w_sum - ddof
    else:
        factor = w_sum - ddof * (w * nx.asarray(aweights, dtype=float)).sum() / w_sum
    if factor <= 0 if w is None else _values.is_found(factor <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    factor = max(factor, 0.0) if w is None else nx.maximum(factor, 0.0)
    x = _in_the_dtype_of(x, x - mean[:, None])
    weighted = (x if w is None else x * w).T
    c = nx.dot(x, weighted.conj())
    return _in_the_dtype_of(c, c * nx.true_divide(1, factor)).squeeze()


def _in_the_dtype_of(target, result):
    """Casts `result` as `target op= ...` would. Errors: TypeError for a cast from floats to
    integers.
    """
    return result.astype(target.dtype, casting="same_kind", copy=False)


@_declare.base_class
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: NumPyDTypeLike | None = None) -> ndarray:
    """Pearson's correlation coefficients of variables.

    Args:
      x: Samples, with a variable in each row.
      y: Further variables, in the same form.
      rowvar: Whether variables are in rows; otherwise they are in columns.
      dtype: Dtype of the result; None is at least float64.

    Shapes: `x` and `y` (n,) or (variables, n); the result (all variables, all variables), or 0-d
    for a single variable.
    Errors: ValueError for more than 2 axes.
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = nx.sqrt(nx.diag(c).real)
    c = c / deviation[:, None] / deviation[None, :]
    if kind_of(c) == "c":
        return c.real.clip(-1, 1) + 1j * c.imag.clip(-1, 1)
    return c.clip(-1, 1)


@_declare.base_class
def digitize(x: ArrayLike, bins: Any, right: bool = False) -> ndarray:
    """Returns the index of the bin of each element: i with bins[i-1] <= x < bins[i], or bins[i-1] >
    x >= bins[i] for decreasing bins.

    Args:
      x: Elements.
      bins: Edges of the bins, monotonic.
      right: Whether bins include their right end instead of the left: bins[i-1] < x <= bins[i].

    Shapes: as `x`; `bins` (n,).
    Dtypes: int64.
    Errors: ValueError unless `bins` is 1-d and monotonic, TypeError for complex numbers.
    """
    x, bins = nx.asarray(x), nx.asarray(bins)
    if kind_of(x) == "c":
        raise TypeError("x may not be complex")
    if kind_of(bins) == "c":
        raise TypeError("bins may not be complex")
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array")
    step = bins[1:] >= bins[:-1], bins[1:] <= bins[:-1]
    side = "left" if right else "right"
    if not _values.is_found(~step[0]):
        return nx.searchsorted(bins, x, side=side)
    if bool(step[1].all()):
        return len(bins) - nx.searchsorted(nx.flip(bins), x, side=side)
    raise ValueError("bins must be monotonically increasing or decreasing")
