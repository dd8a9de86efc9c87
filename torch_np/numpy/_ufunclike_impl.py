"""Tests for positive and negative infinity: counterpart of numpy.lib._ufunclike_impl."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np.numpy import _native as nx
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._numeric import _asanyarray

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["isneginf", "isposinf"]


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
