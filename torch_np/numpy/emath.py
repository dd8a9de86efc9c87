"""torch_np.numpy.emath: functions with complex results where a real one does not exist, such as
sqrt of a negative number.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as _numpy

from torch_np.numpy import _dtypes, _native as nx
from torch_np.numpy import _values

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike


def _complex_where(x, outside):
    x = nx.asarray(x)
    if _dtypes.kind_of(x) != "c" and bool(nx.any(outside(x))):
        return x.astype(_numpy.complex64 if x.dtype.char in "fbhBH" else _numpy.complex128)
    return x


def sqrt(x: ArrayLike) -> ndarray:
    """Square root; complex for negative numbers.

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.sqrt(_complex_where(x, lambda v: v < 0))


def log(x: ArrayLike) -> ndarray:
    """Natural logarithm; complex for negative numbers.

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.log(_complex_where(x, lambda v: v < 0))


def log2(x: ArrayLike) -> ndarray:
    """Logarithm to base 2; complex for negative numbers.

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.log2(_complex_where(x, lambda v: v < 0))


def log10(x: ArrayLike) -> ndarray:
    """Logarithm to base 10; complex for negative numbers.

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.log10(_complex_where(x, lambda v: v < 0))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """Logarithm to base `n`; complex for negative numbers.

    Args:
      n: Base.
      x: Input values.

    Shapes: `n` and `x` broadcast.
    """
    return log(x) / log(n)


def power(x: ArrayLike, p: ArrayLike) -> ndarray:
    """`x` to the power `p`; complex for negative `x`.

    Args:
      x: Base.
      p: Exponent.

    Shapes: `x` and `p` broadcast.
    """
    p = nx.asarray(p)
    x = _complex_where(x, lambda v: v < 0)
    if _dtypes.kind_of(p) in "iu" and _values.is_found(p < 0):
        p = p * 1.0
    return nx.power(x, p)


def arccos(x: ArrayLike) -> ndarray:
    """Inverse cosine; complex outside of [-1, 1].

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.arccos(_complex_where(x, lambda v: abs(v) > 1))


def arcsin(x: ArrayLike) -> ndarray:
    """Inverse sine; complex outside of [-1, 1].

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.arcsin(_complex_where(x, lambda v: abs(v) > 1))


def arctanh(x: ArrayLike) -> ndarray:
    """Inverse hyperbolic tangent; complex outside of [-1, 1].

    Args:
      x: Input values.

    Shapes: as `x`.
    """
    return nx.arctanh(_complex_where(x, lambda v: abs(v) > 1))
