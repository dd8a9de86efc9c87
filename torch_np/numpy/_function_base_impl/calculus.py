"""Differences, gradients, integrals, interpolation and unwrapping of samples."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy import _values
from torch_np.numpy._default_dtype import default_dtype
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._dtypes import result_type

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes

__all__ = ["diff", "gradient", "interp", "trapezoid", "unwrap"]


_NUMBERS = (type(None), int, float)


def diff(a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None) -> ndarray:
    """Returns the n-th discrete difference along an axis. For bools a difference is `not_equal`.

    Args:
      a: Input array.
      n: Number of times to take differences.
      axis: Axis of the differences.
      prepend: Number or array to put before `a` along the axis first.
      append: Number or array to put after `a` along the axis first.

    Shapes: as `a` after `prepend` and `append`, with n fewer elements along `axis`; these arrays
    are as `a` along the other axes.
    Errors: ValueError for negative n or a 0-d `a`.
    """
    if n == 0:
        return a  # type: ignore[return-value]  # unchanged, as in NumPy
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = nx.asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [a]
    for extra, at in ((prepend, 0), (append, 2)):
        if extra is not None:
            extra = nx.asarray(extra)
            if extra.ndim == 0:
                extra = nx.broadcast_to(extra, a.shape[:axis] + (1,) + a.shape[axis + 1:])
            parts.insert(0 if at == 0 else len(parts), extra)
    if len(parts) > 1:
        a = nx.concatenate(parts, axis)
    head = (slice(None),) * axis
    op = nx.not_equal if kind_of(a) == "b" else nx.subtract
    for _ in range(min(n, a.shape[axis])):  # an empty axis stays empty
        a = op(a[head + (slice(1, None),)], a[head + (slice(None, -1),)])
    return a


def gradient(f: ArrayLike, *varargs: Any, axis: Axes | None = None, edge_order: int = 1) -> Any:
    """Estimates the gradient of sampled values by second-order central differences, and one-sided
    ones at the ends. Returns an array for one axis, a tuple for several.

    Args:
      f: Samples.
      varargs: Spacing: one number for all axes, or for each axis a number or an array of
        coordinates.
      axis: Axis or axes of differentiation; None is all of them.
      edge_order: Order of accuracy at the ends: 1 or 2.

    Shapes: all results as `f`; coordinates (m,) for an axis of m elements.
    Errors: ValueError for fewer than `edge_order` + 1 points, coordinates that do not match, and an
    `edge_order` above 2; TypeError for a wrong number of spacings, and for bools.
    Source: Fornberg, Mathematics of Computation 51 (1988) 699-706.
    """
    f = nx.asarray(f)
    n = f.ndim
    axes = tuple(range(n)) if axis is None else normalize_axis_tuple(axis, n)
    spacing: list[Any]
    if len(varargs) == 0:
        spacing = [1.0] * len(axes)
    elif len(varargs) == 1 and nx.asarray(varargs[0]).ndim == 0:
        spacing = [varargs[0]] * len(axes)
    elif len(varargs) == len(axes):
        spacing = list(varargs)
        for i, h in enumerate(spacing):
            h = nx.asarray(h)
            if h.ndim == 0:
                continue
            if h.ndim != 1:
                raise ValueError("distances must be either scalars or 1d")
            if len(h) != f.shape[axes[i]]:
                raise ValueError("when 1d, distances must match the length of the corresponding dimension")
            h = diff(h.astype(default_dtype()) if kind_of(h) in "iu" else h)
            spacing[i] = h[0] if h.size and not _values.is_found(h != h[0]) else h
    else:
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if kind_of(f) == "b" and axes:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                        "or the logical_xor function instead.")
    if kind_of(f) not in "fc":
        f = f.astype(default_dtype())
    out = [_gradient_along(f, h, d, edge_order) for h, d in zip(spacing, axes)]
    return out[0] if len(out) == 1 else tuple(out)


def _gradient_along(f, h, d, edge_order):
    if f.shape[d] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")

    def at(*s):
        return f[(slice(None),) * d + (slice(*s),)]
    uniform = getattr(h, "ndim", 0) == 0
    if uniform:
        inner = (at(2, None) - at(None, -2)) / (2.0 * h)
        h0 = h1 = hm1 = hm2 = h
    else:
        shape = [1] * f.ndim
        shape[d] = -1
        a, b = h[:-1].reshape(shape), h[1:].reshape(shape)
        inner = -b / (a * (a + b)) * at(None, -2) + (b - a) / (a * b) * at(1, -1) + a / (b * (a + b)) * at(2, None)
        h0, hm1 = h[0], h[-1]
        h1, hm2 = (h[1], h[-2]) if edge_order == 2 else (None, None)
    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / h0, (at(-1, None) - at(-2, -1)) / hm1
    else:
        def three(p, q):
            return -(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
        a, b, c = three(h0, h1)
        first = a * at(0, 1) + b * at(1, 2) + c * at(2, 3)
        a, b, c = three(-hm1, -hm2)
        last = a * at(-1, None) + b * at(-2, -1) + c * at(-3, -2)
    # as in NumPy, coordinates of a wider dtype do not make the result wider
    return nx.concatenate((first, inner, last), axis=d, dtype=f.dtype, casting="unsafe")


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1) -> ndarray:
    """Integrates samples along an axis by the trapezoidal rule.

    Args:
      y: Samples.
      x: Coordinates of the samples; None uses `dx`.
      dx: Distance of the samples.
      axis: Axis of integration.

    Shapes: `y` (..., n, ...); `x` (n,) or as `y`; the result lacks `axis`.
    """
    y = nx.asarray(y)
    if x is None:
        d: Any = dx
    else:
        d = diff(nx.asarray(x), axis=axis if nx.asarray(x).ndim > 1 else -1)
        if d.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = d.shape[0]
            d = d.reshape(shape)
    head = (slice(None),) * normalize_axis_index(axis, y.ndim)
    return (d * (y[head + (slice(1, None),)] + y[head + (slice(None, -1),)]) / 2.0).sum(axis)


@_declare.base_class
@_declare.value
def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: complex | None = None, right: complex | None = None,
           period: float | None = None) -> ndarray:
    """Interpolates data points piecewise linearly.

    Args:
      x: Coordinates at which to interpolate.
      xp: Coordinates of the data points, ascending unless `period` is given.
      fp: Values of the data points.
      left: Value below the data points; None is the first value.
      right: Value above the data points; None is the last value.
      period: Period of the coordinates; None if they are not periodic.

    Shapes: as `x`; `xp` and `fp` (n,).
    Dtypes: float64, or complex128 for complex `fp`.
    Errors: ValueError for empty `xp`, or `xp` and `fp` of different lengths; TypeError for complex
    `x` or `xp` without `period`.
    """
    x, xp, fp = nx.asarray(x), nx.asarray(xp), nx.asarray(fp)
    if _C._are_plain(x, xp, fp) and type(period) in _NUMBERS and period != 0 and x.dtype.kind != "c" and xp.dtype.kind != "c":
        numbers = _NUMBERS if fp.dtype.kind != "c" else (*_NUMBERS, complex)
        if period is not None:
            return _C._numpy._interp(x, xp, fp, None, None, abs(period))
        if type(left) in numbers and type(right) in numbers:
            ends: Any = (left, right)
            return _C._numpy._interp(x, xp, fp, *ends)
    casting: Literal["safe", "unsafe"] = "safe" if period is None else "unsafe"  # as in NumPy
    x, xp = x.astype(float, casting=casting), xp.astype(float, casting=casting)
    fp = fp.astype(complex if kind_of(fp) == "c" else float)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        x, xp = x % period, xp % period
        order = xp.argsort(kind="stable")
        xp, fp = xp[order], fp[order]
        xp = nx.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = nx.concatenate((fp[-1:], fp, fp[:1]))
    below = nx.asarray(fp[0] if left is None else left, dtype=fp.dtype)
    above = nx.asarray(fp[-1] if right is None else right, dtype=fp.dtype)
    if kind_of(fp) != "c":
        return _interp_real(x, xp, fp, below, above)
    # The parts are separate, as an infinite part must not make the other one NaN.
    out = nx.empty(x.shape, dtype=complex)
    out.real = _interp_real(x, xp, fp.real, below.real, above.real)
    out.imag = _interp_real(x, xp, fp.imag, below.imag, above.imag)
    return out


@_numpy.errstate(all="ignore")  # intermediate results with infinities are discarded
def _interp_real(x, xp, fp, left, right):
    if xp.size == 1:
        value = fp[0]
    else:
        # of several points with the same coordinate, the last
        before = (nx.searchsorted(xp, x, side="right") - 1).clip(0)
        j = before.clip(None, xp.size - 2)
        x0, y0, x1, y1 = xp[j], fp[j], xp[j + 1], fp[j + 1]
        slope = (y1 - y0) / nx.where(x0 == x1, 1, x1 - x0)
        value = slope * (x - x0) + y0
        # With infinities, interpolate from the right end, then keep a constant.
        value = nx.where(nx.isnan(value), slope * (x - x1) + y1, value)
        value = nx.where(nx.isnan(value) & (y0 == y1), y0, value)
        # At a data point the result is its value, even if the slope is infinite.
        value = nx.where(x == xp[before], fp[before], value)
    out = nx.where(x < xp[0], left, nx.where(x > xp[-1], right, value))
    if xp.size == 1:
        return out
    return nx.where(nx.isnan(x), x, out)


@_declare.base_class
def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * _numpy.pi) -> ndarray:
    """Removes jumps from periodic values: adds multiples of the period along an axis, so that
    neighbours differ by at most half a period.

    Args:
      p: Input values.
      discont: Smallest jump that is removed; None is `period` / 2.
      axis: Axis along which to unwrap.
      period: The period.

    Shapes: as `p`.
    """
    p = nx.asarray(p)
    step = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = result_type(step, period)
    whole = kind_of(dtype) in "iu"
    high, rest = divmod(period, 2) if whole else (period / 2, 0)
    low = -high
    wrapped = nx.mod(step - low, period) + low
    if rest == 0:
        wrapped = nx.where((wrapped == low) & (step > 0), high, wrapped)
    correction = nx.where(abs(step) < discont, 0, wrapped - step)
    head = (slice(None),) * normalize_axis_index(axis, p.ndim)
    up = p.astype(dtype)
    return nx.concatenate((up[head + (slice(None, 1),)], (p[head + (slice(1, None),)] + nx.cumsum(correction, axis=axis)).astype(dtype)),
                          axis=axis)
