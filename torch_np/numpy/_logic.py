"""Tests of arrays: closeness, equality, kind."""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx, _values
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["allclose", "array_equal", "array_equiv", "isclose", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal",
           "isrealobj"]


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
        y = y.astype(nx.result_type(y, 1.0))
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


def iscomplexobj(x: Any) -> bool:
    """Whether an object has a complex dtype.

    Args:
      x: Array or number.
    """
    dtype = getattr(x, "dtype", None)
    if isinstance(dtype, _numpy.dtype):
        return kind_of(dtype) == "c"
    return kind_of(nx.asarray(x)) == "c"


def isrealobj(x: object) -> bool:
    """Whether an object has a real dtype.

    Args:
      x: Array or number.
    """
    return not iscomplexobj(x)


@_declare.base_class
@_declare.value
def iscomplex(x: ArrayLike) -> ndarray:
    """Whether each element has a non-zero imaginary part.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    x = _asanyarray(x)
    if kind_of(x) == "c":
        return x.imag != 0
    return nx.zeros_like(x, dtype=bool)


@_declare.base_class
@_declare.value
def isreal(x: ArrayLike) -> ndarray:
    """Whether each element has a zero imaginary part.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    return _asanyarray(x).imag == 0


def isposinf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Whether each element is positive infinity.

    Args:
      x: Input array.
      out: Array that receives the result.

    Shapes: as `x`.
    Errors: TypeError for complex `x`.
    """
    return _signed_infinity(x, out, False, "isposinf")


def isneginf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Whether each element is negative infinity.

    Args:
      x: Input array.
      out: Array that receives the result.

    Shapes: as `x`.
    Errors: TypeError for complex `x`.
    """
    return _signed_infinity(x, out, True, "isneginf")


def _signed_infinity(x, out, negative, name):
    x = _asanyarray(x)
    if kind_of(x) == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    sign = nx.signbit(x)
    return nx.logical_and(nx.isinf(x), sign if negative else nx.logical_not(sign), out)
