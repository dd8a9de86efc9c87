"""Reductions that ignore NaNs."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np.numpy import _arguments, _declare, _native as nx
from torch_np.numpy._function_base_impl import statistics as _statistics
from torch_np.numpy import _differentiation
from torch_np.numpy import _values
from torch_np.numpy._dtypes import as_numpy_dtype, kind_of
from torch_np.numpy._multiarray import copyto

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod",
           "nanquantile", "nanstd", "nansum", "nanvar"]

_no: Any = _numpy._NoValue


def _given(**kwargs):
    return {k: v for k, v in kwargs.items() if v is not _no}


def _without_nan(a, fill):
    """Returns `a` with NaNs replaced by `fill`, and the mask of the NaNs (None for dtypes without
    NaN).
    """
    a = nx.asarray(a)
    if kind_of(a) not in "fc":
        return a, None
    missing = nx.isnan(a)
    return nx.where(missing, a.dtype.type(fill), a), missing


def _into(function, out, result):
    _arguments.check_out_shape(out, result, function)
    copyto(out, result, casting="unsafe")
    return out


def _warn_all_nan(found, text):
    if _values.is_found(found):
        warnings.warn(text, RuntimeWarning, stacklevel=3)


@_declare.value
def nansum(a: ArrayLike, axis: Axes | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, keepdims: bool = _no,
           initial: ArrayLike = _no, where: ArrayLike = _no) -> ndarray:
    """Sums over axes; NaNs count as 0.

    Args:
      a: Values to sum.
      axis: Axis or axes to reduce; None reduces all of them.
      dtype: Dtype of the result, in which the elements are added.
      out: Array that receives the result.
      keepdims: Whether reduced axes stay in the result, with size 1.
      initial: Starting value of the sum.
      where: Boolean mask of the elements that take part.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    """
    a, _ = _without_nan(a, 0)
    return nx.sum(a, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


@_declare.value
def nanprod(a: ArrayLike, axis: Axes | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, keepdims: bool = _no,
            initial: ArrayLike = _no, where: ArrayLike = _no) -> ndarray:
    """Multiplies over axes; NaNs count as 1.

    Args:
      a: Values to multiply.
      axis: Axis or axes to reduce; None reduces all of them.
      dtype: Dtype of the result, in which the elements are multiplied.
      out: Array that receives the result.
      keepdims: Whether reduced axes stay in the result, with size 1.
      initial: Starting value of the product.
      where: Boolean mask of the elements that take part.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    """
    a, _ = _without_nan(a, 1)
    return nx.prod(a, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None) -> ndarray:
    """Returns the cumulative sum along an axis; NaNs count as 0.

    Args:
      a: Input array.
      axis: Axis of the sum; None uses the flattened array.
      dtype: Dtype of the result.
      out: Array that receives the result.

    Shapes: as `a`, or one axis if `axis` is None.
    """
    return nx.cumsum(_without_nan(a, 0)[0], axis=axis, dtype=dtype, out=out)


def nancumprod(a: ArrayLike, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None) -> ndarray:
    """Returns the cumulative product along an axis; NaNs count as 1.

    Args:
      a: Input array.
      axis: Axis of the product; None uses the flattened array.
      dtype: Dtype of the result.
      out: Array that receives the result.

    Shapes: as `a`, or one axis if `axis` is None.
    """
    return nx.cumprod(_without_nan(a, 1)[0], axis=axis, dtype=dtype, out=out)


def _quotient(total, count):
    """Divides without warnings; the caller warns of a count of 0."""
    with _numpy.errstate(divide="ignore", invalid="ignore"):
        return total / count


def _nan_extreme(ufunc, extreme, worst, a, axis, out, keepdims, initial, where):
    a = nx.asarray(a)
    extra = _given(keepdims=keepdims, initial=initial, where=where)
    if _differentiation.compute_requires_grad(a, initial) and kind_of(a) == "f":
        result = _differentiable_nan_extreme(extreme, worst, a, axis, extra)
        result = result if out is None else nx.positive(result, out=out)
    else:
        result = ufunc.reduce(a, axis=axis, out=out, **extra)
    if kind_of(a) in "fc":
        _warn_all_nan(nx.isnan(result), "All-NaN slice encountered")
    return result


def _differentiable_nan_extreme(extreme, worst, a, axis, extra):
    """Reduces with `extreme`, which divides the gradient evenly among equal extrema. `worst`
    replaces NaNs, so that they are never selected.
    """
    missing = nx.isnan(a)
    result = extreme(nx.where(missing, worst, a), axis=axis, **extra)
    if "initial" in extra and extra["initial"] is not None:
        return result
    selected = {k: v for k, v in extra.items() if k != "initial"}
    return nx.where(nx.all(missing, axis=axis, **selected), _numpy.nan, result)


@_declare.value
def nanmin(a: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, keepdims: bool = _no, initial: ArrayLike = _no,
           where: ArrayLike = _no) -> ndarray:
    """Minimum over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      keepdims: Whether reduced axes stay in the result, with size 1.
      initial: Starting value, the largest possible result.
      where: Boolean mask of the elements that take part.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    """
    return _nan_extreme(nx.fmin, nx.min, _numpy.inf, a, axis, out, keepdims, initial, where)


@_declare.value
def nanmax(a: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, keepdims: bool = _no, initial: ArrayLike = _no,
           where: ArrayLike = _no) -> ndarray:
    """Maximum over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      keepdims: Whether reduced axes stay in the result, with size 1.
      initial: Starting value, the smallest possible result.
      where: Boolean mask of the elements that take part.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    """
    return _nan_extreme(nx.fmax, nx.max, -_numpy.inf, a, axis, out, keepdims, initial, where)


def _check_inexact(dtype, out):
    """Checks `dtype` and `out` of a reduction of floating or complex numbers."""
    if dtype is not None and kind_of(as_numpy_dtype(dtype)) not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and kind_of(out) not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")


def _nan_argument(function, fill, a, axis, out, keepdims):
    a, missing = _without_nan(a, fill)
    if missing is not None and a.size and _values.is_found(nx.all(missing, axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return function(a, axis=axis, out=out, **_given(keepdims=keepdims))


def nanargmin(a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = _no) -> ndarray:
    """Index of the minimum over an axis, ignoring NaNs.

    Args:
      a: Input array.
      axis: Axis to reduce; None uses the flattened array.
      out: Array that receives the result.
      keepdims: Whether the reduced axis stays in the result, with size 1.

    Shapes: the result lacks `axis`, or has it with size 1 if `keepdims`.
    Errors: ValueError for a slice of NaNs only.
    """
    return _nan_argument(nx.argmin, _numpy.inf, a, axis, out, keepdims)


def nanargmax(a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: bool = _no) -> ndarray:
    """Index of the maximum over an axis, ignoring NaNs.

    Args:
      a: Input array.
      axis: Axis to reduce; None uses the flattened array.
      out: Array that receives the result.
      keepdims: Whether the reduced axis stays in the result, with size 1.

    Shapes: the result lacks `axis`, or has it with size 1 if `keepdims`.
    Errors: ValueError for a slice of NaNs only.
    """
    return _nan_argument(nx.argmax, -_numpy.inf, a, axis, out, keepdims)


@_declare.value
def nanmean(a: ArrayLike, axis: Axes | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
            keepdims: bool = _no, *, where: ArrayLike = _no) -> ndarray:
    """Mean over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      dtype: Dtype of the result, in which the elements are added.
      out: Array that receives the result.
      keepdims: Whether reduced axes stay in the result, with size 1.
      where: Boolean mask of the elements that take part.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    Errors: TypeError if `a` is floating and `dtype` or `out` is not.
    """
    filled, missing = _without_nan(a, 0)
    if missing is None:
        return nx.mean(filled, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, where=where))
    _check_inexact(dtype, out)
    extra = _given(keepdims=keepdims, where=where)
    count = nx.sum(~missing, axis=axis, dtype=_numpy.intp, **extra)
    total = nx.sum(filled, axis=axis, dtype=dtype, **extra)
    _warn_all_nan(count == 0, "Mean of empty slice")
    result = _quotient(total, count).astype(total.dtype)
    if out is not None:
        return _into("nanmean", out, result)
    return result


@_declare.value
def nanvar(a: ArrayLike, axis: Axes | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, ddof: float = 0,
           keepdims: bool = _no, *, where: ArrayLike = _no, mean: ArrayLike = _no, correction: float = _no) -> ndarray:
    """Variance over axes, ignoring NaNs. The divisor is n - `ddof`, where n is the number of
    elements. A slice with n <= ddof gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      dtype: Dtype of the result, in which the elements are added.
      out: Array that receives the result.
      ddof: Delta degrees of freedom.
      keepdims: Whether reduced axes stay in the result, with size 1.
      where: Boolean mask of the elements that take part.
      mean: The mean, with reduced axes of size 1, if it is known.
      correction: Another name of `ddof`.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    Errors: TypeError if `a` is floating and `dtype` or `out` is not; ValueError for both `ddof` and
    `correction`.
    """
    if correction is not _no:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    filled, missing = _without_nan(a, 0)
    if missing is None:
        return nx.var(filled, axis=axis, dtype=dtype, out=out, ddof=ddof, **_given(keepdims=keepdims, where=where, mean=mean))
    _check_inexact(dtype, out)
    selected = _given(where=where)
    count = nx.sum(~missing, axis=axis, dtype=_numpy.intp, keepdims=True, **selected)
    center = mean
    if mean is _no:
        total = nx.sum(filled, axis=axis, dtype=dtype, keepdims=True, **selected)
        center = _quotient(total, count).astype(total.dtype)
    deviation = filled - center if mean is _no else (filled - center).astype(filled.dtype)  # a given mean does not affect the dtype
    deviation = nx.where(missing, filled.dtype.type(0), deviation)
    squares = (deviation * deviation.conj()).real
    keep = bool(keepdims) if keepdims is not _no else False
    total = nx.sum(squares, axis=axis, dtype=dtype, keepdims=keep, **selected)
    freedom = nx.sum(~missing, axis=axis, dtype=_numpy.intp, keepdims=keep, **selected) - ddof
    _warn_all_nan(freedom <= 0, "Degrees of freedom <= 0 for slice.")
    result = nx.where(freedom > 0, _quotient(total, freedom), _numpy.nan).astype(total.dtype)
    if out is not None:
        return _into("nanvar", out, result)
    return result


@_declare.value
def nanstd(a: ArrayLike, axis: Axes | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, ddof: float = 0,
           keepdims: bool = _no, *, where: ArrayLike = _no, mean: ArrayLike = _no, correction: float = _no) -> ndarray:
    """Standard deviation over axes, ignoring NaNs: the square root of the variance with divisor n -
    `ddof`. A slice with n <= ddof gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      dtype: Dtype of the result, in which the elements are added.
      out: Array that receives the result.
      ddof: Delta degrees of freedom.
      keepdims: Whether reduced axes stay in the result, with size 1.
      where: Boolean mask of the elements that take part.
      mean: The mean, with reduced axes of size 1, if it is known.
      correction: Another name of `ddof`.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    Errors: TypeError if `a` is floating and `dtype` or `out` is not; ValueError for both `ddof` and
    `correction`.
    """
    if out is not None and kind_of(nx.asarray(a)) in "fc":
        _check_inexact(dtype, out)
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    if out is not None:
        return _into("nanstd", out, nx.sqrt(variance))
    if kind_of(variance) in "fc":
        return nx.sqrt(variance)
    # As in NumPy, the root of a single number is cast, and of several numbers raises an error.
    return nx.sqrt(variance, out=variance) if variance.ndim else nx.sqrt(variance).astype(variance.dtype)


def _nan_ordered(function, a, axis, out, keepdims, lead=(), weights=None):
    """Calls `function` with each 1-d slice without its NaNs, and with the weights of the remaining
    elements. Returns None if there are no NaNs.
    """
    a = nx.asarray(a)
    rows, axes = _statistics._move_axes_last(a, axis)
    if kind_of(rows) not in "fc" or not _values.is_found(nx.isnan(rows)):
        return None
    if weights is not None:
        weights = nx.asarray(weights)
        if weights.shape != a.shape:
            weights = nx.broadcast_to(_statistics._along_axes(weights, a, None if axis is None else axes), a.shape)
        weights = _statistics._move_axes_last(weights, axis)[0].reshape((-1, rows.shape[-1]))
    kept = rows.shape[:-1]
    flat = rows.reshape((-1, rows.shape[-1]))
    results = []
    for i in range(flat.shape[0]):
        there = ~nx.isnan(flat[i])
        values = flat[i][there]
        if values.size == 0:
            warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
            results.append(nx.full(lead, _numpy.nan, dtype=rows.dtype))
        else:
            results.append(nx.asarray(function(values) if weights is None else function(values, weights[i][there])))
    result = nx.stack(results, axis=-1).reshape(tuple(lead) + kept)
    return _statistics._finish(result, a, axes, keepdims is not _no and keepdims, out)


@_declare.value
def nanmedian(a: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
              keepdims: bool = _no) -> ndarray:
    """Median over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

    Args:
      a: Input array.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      overwrite_input: Ignored.
      keepdims: Whether reduced axes stay in the result, with size 1.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    """
    a = nx.asarray(a)
    if a.size == 0:  # as in NumPy, the result and the single warning are those of nanmean
        return nanmean(a, axis, out=out, keepdims=keepdims)
    result = _nan_ordered(_statistics.median, a, axis, out, keepdims)
    if result is None:
        return _statistics.median(a, axis, out, overwrite_input, False if keepdims is _no else keepdims)
    return result


@_declare.value
@_declare.base_class
def nanquantile(a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
                method: str = "linear", keepdims: bool = _no, *, weights: ArrayLike | None = None) -> ndarray:
    """Quantiles over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

    Args:
      a: Input array of real numbers.
      q: Quantile or quantiles, from 0 to 1.
      axis: Axis or axes to reduce; None reduces all of them.
      out: Array that receives the result.
      overwrite_input: Ignored.
      method: Method of interpolation between elements, as in `quantile`.
      keepdims: Whether reduced axes stay in the result, with size 1.
      weights: Weight of each element, for the method 'inverted_cdf'.

    Shapes: `q` (...), the result (..., those of `a` without the axes in `axis`, or with size 1
    there if `keepdims`); `weights` as `a`, or the sizes of its `axis`.
    Errors: ValueError for q out of range or an unknown `method`, TypeError for complex `a`.
    """
    quantiles = _nan_quantile(*_statistics._levels(a, q, 1), axis, out, method, keepdims, weights)
    return _statistics._in_class_of(a, quantiles, out)


def _nan_quantile(a, q, weak, axis, out, method, keepdims, weights):
    if a.size == 0:  # as in NumPy, for any `q`
        return nanmean(a, axis, out=out, keepdims=keepdims)
    result = _nan_ordered(lambda v, w=None: _statistics._quantile(v, q, weak, None, None, method, False, w), a, axis, out, keepdims,
                          q.shape, weights)
    if result is None:
        return _statistics._quantile(a, q, weak, axis, out, method, False if keepdims is _no else keepdims, weights)
    return result


@_declare.value
@_declare.base_class
def nanpercentile(a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: ndarray | None = None, overwrite_input: bool = False,
                  method: str = "linear", keepdims: bool = _no, *, weights: ArrayLike | None = None) -> ndarray:
    """Percentiles over axes, ignoring NaNs. A slice of NaNs only gives NaN and a RuntimeWarning.

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
    Errors: ValueError for q out of range or an unknown `method`, TypeError for complex `a`.
    """
    quantiles = _nan_quantile(*_statistics._levels(a, q, 100), axis, out, method, keepdims, weights)
    return _statistics._in_class_of(a, quantiles, out)
