"""Counterpart of numpy._core.numeric: tests of whole arrays, products over axes, convolution,
arrays from functions of indices."""
from __future__ import annotations

import builtins as _builtins
import math
import operator
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import _numpy_linalg
from torch_np.numpy import _declare, _native as nx, _values
from torch_np.numpy._dtypes import kind_of, result_type
from torch_np.numpy._fromnumeric import size

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, DeviceLike, Ints, NumPyDTypeLike

__all__ = ["allclose", "array_equal", "array_equiv", "astype", "convolve", "correlate", "cross", "fromfunction", "indices", "isclose",
           "isfortran", "isscalar", "roll", "tensordot"]


def _asanyarray(a: ArrayLike) -> ndarray:
    return a if _C._is_ndarray(a) else nx.asarray(a)


def _check_tolerances(atol, rtol):
    if all(math.isfinite(t) if type(t) in (int, float) else not _values.is_found(~nx.isfinite(t)) for t in (atol, rtol)):
        return
    message = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
    said = _numpy.geterr()["invalid"]
    if said == "raise":
        raise FloatingPointError(message)
    if said == "warn":
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def isclose(a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1.e-5, atol: Any = 1.e-8, equal_nan: bool = False) -> ndarray:
    """Whether elements agree within a tolerance: |a - b| <= `atol` + `rtol` * |b|. Infinities are
    close if they are equal.

    Args:
      a: First operand.
      b: Second operand, to which the tolerance is relative.
      rtol: Relative tolerance.
      atol: Absolute tolerance.
      equal_nan: Whether NaNs are close to each other.

    Shapes: `a`, `b`, `rtol` and `atol` broadcast.
    """
    # Python numbers are weak: beside float32 they are float32.
    x: Any
    y: Any
    x, y = (v if type(v) in (int, float, complex) else nx.asarray(v) for v in (a, b))
    if type(y) is int:
        y = float(y)
    elif _C._is_ndarray(y) and kind_of(y) in "biu":
        y = y.astype(result_type(y, 1.0))
    _check_tolerances(atol, rtol)
    finite = nx.isfinite(y)
    # |x - y| is NaN if both are the same infinity, hence the separate term for equality.
    with _numpy.errstate(invalid="ignore"):
        close = (nx.less_equal(abs(x - y), atol + rtol * abs(y)) & finite) | (x == y)
    if equal_nan:
        close = close | (nx.isnan(x) & nx.isnan(y))
    return close


def allclose(a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1.e-5, atol: Any = 1.e-8, equal_nan: bool = False) -> bool:
    """Whether all elements agree within a tolerance: |a - b| <= `atol` + `rtol` * |b|. Returns a
    bool.

    Args:
      a: First operand.
      b: Second operand, to which the tolerance is relative.
      rtol: Relative tolerance.
      atol: Absolute tolerance.
      equal_nan: Whether NaNs are close to each other.

    Shapes: all broadcast.
    """
    return bool(nx.all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and equal elements.

    Args:
      a1: First array.
      a2: Second array.
      equal_nan: Whether NaNs are equal.

    Shapes: any.
    """
    try:
        a1, a2 = nx.asarray(a1), nx.asarray(a2)
    except _C.NotHeldError:
        raise
    except Exception:
        return False
    if a1.shape != a2.shape:
        return False
    if equal_nan and a1 is a2:
        return True
    equal = a1 == a2
    if equal_nan and kind_of(a1) in "fc" and kind_of(a2) in "fc":
        equal = equal | (nx.isnan(a1) & nx.isnan(a2))
    return bool(nx.all(equal))


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Whether two arrays have equal elements after broadcasting.

    Args:
      a1: First array.
      a2: Second array.

    Shapes: any.
    """
    try:
        a1, a2 = nx.asarray(a1), nx.asarray(a2)
        _numpy.broadcast_shapes(a1.shape, a2.shape)
    except _C.NotHeldError:
        raise
    except Exception:
        return False
    return bool(nx.all(a1 == a2))


def isscalar(element: Any) -> _builtins.bool:
    """Whether an object is a Python or NumPy scalar. A 0-d array is not.

    Args:
      element: Any object.
    """
    return _C._stands_for_scalar(element) if _C._is_array(element) else _numpy.isscalar(element)


def isfortran(a: ndarray) -> bool:
    """Whether an array with at least two axes is in column-major, but not in row-major order.

    Args:
      a: The array.

    Shapes: any.
    """
    return a.flags.fnc


@_declare.base_class
def astype(x: Any, dtype: NumPyDTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> ndarray:
    """Converts an array or number to a dtype.

    Args:
      x: Array or number.
      dtype: Dtype of the result.
      copy: Whether to copy an array that has the dtype already.
      device: Device of the result; None is the device of `x`.

    Shapes: as `x`.
    Errors: TypeError for sequences.
    """
    is_number: bool = _numpy.isscalar(x)
    if not (is_number or _C._is_array(x) or isinstance(x, _numpy.ndarray)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return _C._numpy.astype(x, dtype, copy=copy, device=device)


@_declare.base_class
def roll(a: ArrayLike, shift: Ints, axis: Axes | None = None) -> ndarray:
    """Shifts elements along an axis; those beyond the end continue at the start.

    Args:
      a: The array.
      shift: Number of places.
      axis: Axis or axes; None shifts the flattened array.

    Shapes: as `a`; `shift` and `axis` broadcast.
    Errors: AxisError if an axis is out of range.
    """
    try:
        return _C._numpy.roll(a, shift, axis)
    except ValueError:
        shifts = [int(s) for s in _numpy.array(shift, object).flat]
        if max(map(abs, shifts), default=0) < 2**63:
            raise
        # a shift modulo the size gives the same result
        return _C._numpy.roll(a, [s % max(size(a), 1) for s in shifts], axis)


def fromfunction(function: Any, shape: Sequence[int], *, dtype: NumPyDTypeLike = float, like: Any = None, **kwargs: Any) -> ndarray:
    """Calls a function with the coordinates of the elements of an array.

    Args:
      function: Function of one array for each axis.
      shape: Shape of the coordinate arrays.
      dtype: Dtype of the coordinate arrays.
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.
      kwargs: Keyword arguments of the function.

    Shapes: `function` receives arrays of shape `shape`; the result is its result.
    """
    return _C._outermost(function, *indices(shape, dtype=dtype), **kwargs)


@_declare.base_class
def indices(dimensions: Sequence[int], dtype: NumPyDTypeLike = int, sparse: bool = False) -> Any:
    """Returns the coordinates of the elements of a grid.

    Args:
      dimensions: Shape of the grid.
      dtype: Dtype of the result.
      sparse: Whether to return a tuple of arrays that broadcast to the grid.

    Shapes: (len(dimensions), *dimensions), or with `sparse` a tuple of broadcastable arrays.
    Errors: TypeError if `dimensions` is a number.
    """
    dimensions = tuple(dimensions)
    n = len(dimensions)
    axes = [nx.arange(d, dtype=dtype).reshape((1,) * i + (d,) + (1,) * (n - i - 1)) for i, d in enumerate(dimensions)]
    if sparse:
        return tuple(axes)
    grid = nx.empty((n, *dimensions), dtype=dtype)
    for i, x in enumerate(axes):
        grid[i] = x
    return grid


@_declare.base_class
def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> ndarray:
    """Sums products of elements over several axes of two arrays.

    Args:
      a: First factor.
      b: Second factor.
      axes: Number of axes to sum over, the last ones of `a` and the first ones of `b`; or a list of
        axes for each of them.

    Shapes: the remaining axes of `a`, then the remaining axes of `b`.
    Errors: ValueError for sizes that differ, repeated axes, or too many axes.
    """
    a, b = nx.asarray(a), nx.asarray(b)
    try:
        iter(axes)
    except TypeError:
        count = operator.index(axes)
        axes = (range(-count, 0), range(count))
    axes_a, axes_b = axes
    axes_a = list(axes_a) if hasattr(axes_a, "__len__") else [operator.index(axes_a)]
    axes_b = list(axes_b) if hasattr(axes_b, "__len__") else [operator.index(axes_b)]
    if len(axes_a) > a.ndim or len(axes_b) > b.ndim:
        raise ValueError("shape-mismatch for sum")
    if len(set(i % a.ndim for i in axes_a)) != len(axes_a) or len(set(i % b.ndim for i in axes_b)) != len(axes_b):
        raise ValueError("duplicate axes are not allowed in tensordot")
    return _numpy_linalg._tensordot(a, b, axes_a, axes_b)


@_declare.base_class
def cross(a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> ndarray:
    """Cross product of vectors with three elements. With two elements, which NumPy deprecates, the
    missing one is 0, and two such vectors give only the third component.

    Args:
      a: First vectors.
      b: Second vectors.
      axisa: Axis of `a` with the vectors.
      axisb: Axis of `b` with the vectors.
      axisc: Axis of the result with the vectors.
      axis: Replaces `axisa`, `axisb` and `axisc`.

    Shapes: the axes before broadcast after the vectors' axis is moved to the end; the result has
    its vectors along `axisc`, or no such axis for vectors with two elements.
    Errors: ValueError for vectors that do not have 2 or 3 elements.
    """
    if axis is not None:
        axisa, axisb, axisc = (axis,) * 3
    a, b = nx.asarray(a), nx.asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a, b = nx.moveaxis(a, axisa, -1), nx.moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
                         f"{a.shape[-1]} and {b.shape[-1]} dimensional instead.")
    if 2 in (a.shape[-1], b.shape[-1]):
        import warnings
        warnings.warn("Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. "
                      "(deprecated in NumPy 2.0)", DeprecationWarning, stacklevel=2)
    a0, a1 = a[..., 0], a[..., 1]
    b0, b1 = b[..., 0], b[..., 1]
    third = a0 * b1 - a1 * b0
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return third
    if a.shape[-1] == 2:
        first, second = a1 * b[..., 2], -(a0 * b[..., 2])
    elif b.shape[-1] == 2:
        first, second = -(a[..., 2] * b1), a[..., 2] * b0
    else:
        first, second = a1 * b[..., 2] - a[..., 2] * b1, a[..., 2] * b0 - a0 * b[..., 2]
    return nx.moveaxis(nx.stack([first, second, third], axis=-1), -1, axisc)


_CONV_MODES = {"valid": 0, "same": 1, "full": 2}


def _conv_mode(mode):
    if isinstance(mode, str) and mode in _CONV_MODES:
        return _CONV_MODES[mode]
    if mode in (0, 1, 2):
        return mode
    if not isinstance(mode, (str, int)):
        raise TypeError(f"mode must be a str or an int, not {type(mode).__name__}")
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})" if isinstance(mode, str)
                     else f"integer mode must be 0, 1 or 2 (got {mode!r})")


def _slide(long, kernel, mode):
    """Returns the sums of products of `kernel` with the windows of `long`, which is at least as
    long.
    """
    m, number = kernel.size, _conv_mode(mode)
    left, right = (0, 0) if number == 0 else (m - 1, m - 1) if number == 2 else (m // 2, m - m // 2 - 1)
    return _numpy_linalg._correlate(long, kernel, left, right)


@_declare.base_class
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Cross-correlation of two 1-d arrays: sum over n of a[n + k] * conj(v[n]).

    Args:
      a: First array.
      v: Second array.
      mode: 'full' for all overlaps, 'same' for the length of the longer array, or 'valid' for
        complete overlaps.

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for
    'same', (max(m, n) - min(m, n) + 1,) for 'valid'.
    Errors: ValueError for empty input.
    """
    result = _correlate(nx.asarray(a), nx.asarray(v), mode)
    return result if type(a) in _PLAIN and type(v) in _PLAIN else _declare.in_class_of_priority(result, a, v)


_PLAIN = frozenset((_C.ndarray, list, tuple))


def _correlate(a, v, mode):
    a, v = a.reshape(-1) if a.ndim == 0 else a, v.reshape(-1) if v.ndim == 0 else v
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    m, n = a.size, v.size
    if m == 0 or n == 0:
        raise ValueError(f"{'first' if m == 0 else 'second'} array argument cannot be empty")
    if kind_of(v) == "c":
        v = v.conj()
    if m >= n:
        return _slide(a, v, mode)
    if _conv_mode(mode) == 1:  # 'same' is centred on the longer array, and mirrored with it
        full = nx.flip(_slide(v, a, 2))
        start = (full.size - v.size + 1) // 2
        return full[start:start + v.size]
    return nx.flip(_slide(v, a, mode))


@_declare.base_class
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """Discrete convolution of two 1-d arrays: sum over n of a[n] * v[k - n].

    Args:
      a: First array.
      v: Second array.
      mode: 'full' for all overlaps, 'same' for the length of the longer array, or 'valid' for
        complete overlaps.

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for
    'same', (max(m, n) - min(m, n) + 1,) for 'valid'.
    Errors: ValueError for empty input.
    """
    a, v = nx.array(a, copy=None, ndmin=1), nx.array(v, copy=None, ndmin=1)
    if a.size == 0:
        raise ValueError("a cannot be empty")
    if v.size == 0:
        raise ValueError("v cannot be empty")
    if v.size > a.size:
        a, v = v, a
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    return _slide(a, nx.flip(v), mode)
