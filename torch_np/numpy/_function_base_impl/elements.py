"""Functions of elements, and of sequences."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np.numpy import _declare, _native as nx, _values
from torch_np.numpy._dtypes import finfo_of, kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, NumPyDTypeLike

__all__ = ["angle", "asarray_chkfinite", "iterable", "meshgrid", "sinc", "sort_complex"]


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """Returns the angle of complex numbers, in (-pi, pi].

    Args:
      z: Complex or real numbers.
      deg: Whether the result is in degrees.

    Shapes: as `z`.
    """
    z = nx.asarray(z)
    z = z.astype(int) if kind_of(z) == "b" else z
    a = nx.arctan2(z.imag, z.real) if kind_of(z) == "c" else nx.arctan2(nx.zeros_like(z), z)
    return a * (180 / _numpy.pi) if deg else a


@_declare.base_class
def sinc(x: ArrayLike) -> ndarray:
    """Normalized sinc function: sin(pi x) / (pi x), and 1 at 0.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    x = nx.asarray(x)
    # for this x, sin(pi x) / (pi x) is 1
    tiny = float(finfo_of(x).eps) if kind_of(x) == "f" else 1.0e-20
    y = _numpy.pi * nx.where(x == 0, tiny, x)
    return nx.sin(y) / y


@_declare.base_class
def asarray_chkfinite(a: ArrayLike, dtype: NumPyDTypeLike | None = None, order: str | None = None) -> ndarray:
    """Converts to an array, and checks that it has no NaN or infinity.

    Args:
      a: Input array, or an object that can be converted to one.
      dtype: Dtype of the result; None is the dtype of `a`.
      order: Memory layout of the result: 'C', 'F', 'A' or 'K'.

    Shapes: as `a`.
    Errors: ValueError if `a` contains NaN or infinity.
    """
    a = nx.asarray(a, dtype=dtype, order=order)
    if kind_of(a) in "fc" and _values.is_found(~nx.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def iterable(y: Any) -> bool:
    """Whether an object can be iterated over.

    Args:
      y: Any object.
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True


@_declare.base_class
def sort_complex(a: ArrayLike) -> ndarray:
    """Sorts along the last axis and returns a complex array.

    Args:
      a: Input array.

    Shapes: as `a`.
    Dtypes: complex64 for integers of 8 and 16 bits; that of `a` if it is complex; otherwise
    complex128.
    """
    b = nx.sort(nx.asarray(a))
    return b if kind_of(b) == "c" else b.astype(_numpy.complex64 if b.dtype.char in "bhBH" else _numpy.complex128)


@_declare.base_class
def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[ndarray, ...]:
    """Returns coordinate matrices from coordinate vectors.

    Args:
      xi: Coordinates along each axis.
      copy: Whether to copy the results; otherwise they are views.
      sparse: Whether to return arrays that broadcast to the grid.
      indexing: 'xy', which exchanges the first two axes, or 'ij'.

    Shapes: the arguments (n1,), ..., (nk,); the results (n2, n1, n3, ..., nk), or (n1, ..., nk) for
    'ij'; if `sparse`, with size 1 along the axes of the other arguments.
    Errors: ValueError if `indexing` is neither 'xy' nor 'ij'.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    out = [nx.asanyarray(x).reshape((1,) * i + (-1,) + (1,) * (n - i - 1)) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        out[0] = out[0].reshape((1, -1) + (1,) * (n - 2))
        out[1] = out[1].reshape((-1, 1) + (1,) * (n - 2))
    if not sparse:
        shape = _numpy.broadcast_shapes(*(x.shape for x in out)) if out else ()
        out = [_declare.in_class_of(nx.broadcast_to(x, shape), x) for x in out]
    return tuple(x.copy() for x in out) if copy else tuple(out)
