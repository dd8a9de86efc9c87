"""What NumPy has in numpy/_core/numeric.py: questions about whole arrays, products over axes, convolution,
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
    """Whether `a` and `b` agree within `atol + rtol * |b|`, element by element.

    Shapes: `a`, `b`, `rtol` and `atol` broadcast. Infinities are close if equal; NaNs only if `equal_nan`.
    """
    # Python's numbers are weak here, too: beside float32 they are float32.
    x: Any
    y: Any
    x, y = (v if type(v) in (int, float, complex) else nx.asarray(v) for v in (a, b))
    if type(y) is int:
        y = float(y)
    elif _C._is_ndarray(y) and kind_of(y) in "biu":
        y = y.astype(result_type(y, 1.0))
    _check_tolerances(atol, rtol)
    finite = nx.isfinite(y)
    # |x - y| is NaN where both are the same infinity, hence the separate term for equality
    with _numpy.errstate(invalid="ignore"):
        close = (nx.less_equal(abs(x - y), atol + rtol * abs(y)) & finite) | (x == y)
    if equal_nan:
        close = close | (nx.isnan(x) & nx.isnan(y))
    return close


def allclose(a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1.e-5, atol: Any = 1.e-8, equal_nan: bool = False) -> bool:
    """Whether all elements of `a` and `b` are close; see `isclose`. Returns a bool. Shapes: all broadcast."""
    return bool(nx.all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Whether `a1` and `a2` have the same shape and elements. NaNs count as equal if `equal_nan`. Shapes: any."""
    try:
        a1, a2 = nx.asarray(a1), nx.asarray(a2)
    except _C.NotHeldError:
        raise
    except Exception:
        return False
    if a1.shape != a2.shape:
        return False
    equal = a1 == a2
    if equal_nan and kind_of(a1) in "fc" and kind_of(a2) in "fc":
        equal = equal | (nx.isnan(a1) & nx.isnan(a2))
    return bool(nx.all(equal))


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Whether `a1` and `a2` have equal elements after broadcasting. Shapes: any."""
    try:
        a1, a2 = nx.asarray(a1), nx.asarray(a2)
        _numpy.broadcast_shapes(a1.shape, a2.shape)
    except _C.NotHeldError:
        raise
    except Exception:
        return False
    return bool(nx.all(a1 == a2))


def isscalar(element: Any) -> _builtins.bool:
    """Whether `element` is a Python or NumPy scalar. A 0-d array is none."""
    return False if _C._is_array(element) else _numpy.isscalar(element)


def isfortran(a: ndarray) -> bool:
    """Whether the 2-d or larger array `a` is in column-major, but not in row-major order. Shapes: any."""
    return a.flags.fnc


@_declare.base_class
def astype(x: Any, dtype: NumPyDTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> ndarray:
    """The array or number `x` with elements of `dtype`, on `device`; without `copy`, `x` itself if it is so already.

    Shapes: as `x`.
    Errors: TypeError for sequences.
    """
    is_number: bool = _numpy.isscalar(x)
    if not (is_number or _C._is_array(x) or isinstance(x, _numpy.ndarray)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return _C._numpy.astype(x, dtype, copy=copy, device=device)


@_declare.base_class
def roll(a: ArrayLike, shift: Ints, axis: Axes | None = None) -> ndarray:
    """The elements of `a` shifted by `shift` places along `axis`; what leaves at one end enters at the other. Without `axis`, along the
    flattened array.

    Shapes: as `a`; `shift` and `axis` broadcast.
    Errors: AxisError if an axis is out of range.
    """
    try:
        return _C._numpy.roll(a, shift, axis)
    except ValueError:
        shifts = [int(s) for s in _numpy.array(shift, object).flat]
        if max(map(abs, shifts), default=0) < 2**63:
            raise
        return _C._numpy.roll(a, [s % max(size(a), 1) for s in shifts], axis)  # no axis is that much longer


def fromfunction(function: Any, shape: Sequence[int], *, dtype: NumPyDTypeLike = float, like: Any = None, **kwargs: Any) -> ndarray:
    """`function` of the coordinates of an array of that shape.

    Shapes: `function` gets one array of shape `shape` for each axis; the result is what it gives.
    """
    return _C._outermost(function, *indices(shape, dtype=dtype), **kwargs)


@_declare.base_class
def indices(dimensions: Sequence[int], dtype: NumPyDTypeLike = int, sparse: bool = False) -> Any:
    """The coordinates of the elements of a grid.

    Shapes: (len(dimensions), *dimensions), or with `sparse` a tuple of broadcastable arrays.
    Errors: TypeError for a number in place of `dimensions`.
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
    """Sum of products over `axes`: a number of axes, the last of `a` and the first of `b`, or a list for each of them.

    Shapes: the result has the axes of `a` and then those of `b` that are not summed over.
    Errors: ValueError for sizes that differ, axes named twice, or more of them than there are.
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
    """Cross product of vectors of three elements (of two: deprecated by NumPy, the component along the third axis).

    Shapes: the axes of vectors (3 or 2) moved to the end, both broadcast; the result has its vectors along `axisc`; of two vectors of two,
    no such axis.
    Errors: ValueError for vectors of other sizes.
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


def _conv_mode(mode):
    modes = {"valid": 0, "same": 1, "full": 2}
    if isinstance(mode, str) and mode in modes:
        return modes[mode]
    if mode in (0, 1, 2):
        return mode
    if not isinstance(mode, (str, int)):
        raise TypeError(f"mode must be a str or an int, not {type(mode).__name__}")
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})" if isinstance(mode, str)
                     else f"integer mode must be 0, 1 or 2 (got {mode!r})")


def _slide(long, kernel, mode):
    """Sums of products of `kernel` with the windows of `long`, which is not shorter than it."""
    m, number = kernel.size, _conv_mode(mode)
    left, right = ((0, 0), (m // 2, m - m // 2 - 1), (m - 1, m - 1))[number]
    return _numpy_linalg._correlate(long, kernel, left, right)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Cross-correlation of two 1-d sequences: sum_n a[n + k] * conj(v[n]).

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for 'same', (max(m, n) - min(m, n) + 1,) for
    'valid'.
    Errors: ValueError for empty input.
    """
    a, v = nx.asarray(a), nx.asarray(v)
    a, v = a.reshape(-1) if a.ndim == 0 else a, v.reshape(-1) if v.ndim == 0 else v
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    if kind_of(v) == "c":
        v = v.conj()
    if a.size >= v.size:
        return _slide(a, v, mode)
    if _conv_mode(mode) == 1:       # 'same' is centred on the longer sequence, mirrored with it
        full = nx.flip(_slide(v, a, 2))
        start = (full.size - v.size + 1) // 2
        return full[start:start + v.size]
    return nx.flip(_slide(v, a, mode))


@_declare.base_class
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """Discrete convolution of two 1-d sequences. `mode`: 'full', 'same' or 'valid'.

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for 'same', (max(m, n) - min(m, n) + 1,) for
    'valid'.
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
