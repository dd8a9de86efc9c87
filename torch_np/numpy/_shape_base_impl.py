"""Functions along axes, and Kronecker's product: counterpart of numpy.lib._shape_base_impl."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index

from torch_np import _C
from torch_np.numpy import _declare, _native as nx

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes

__all__ = ["apply_along_axis", "apply_over_axes", "kron"]


def apply_along_axis(func1d: Any, axis: int, arr: ArrayLike, *args: Any, **kwargs: Any) -> ndarray:
    """Calls a function with each 1-d slice of an array along an axis, and combines the results.

    Args:
      func1d: Function of a 1-d array, which returns results of the same shape.
      axis: Axis of the slices.
      arr: The array.
      args: Further arguments of the function.
      kwargs: Keyword arguments of the function.

    Shapes: `func1d` receives (n,) and returns any shape; the result has its axes in place of
    `axis`.
    Errors: ValueError if `arr` has no slices.
    """
    arr = nx.asanyarray(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    rows = nx.moveaxis(arr, axis, -1)
    lead = rows.shape[:-1]
    results = [nx.asanyarray(_C._outermost(func1d, rows[i], *args, **kwargs)) for i in _numpy.ndindex(lead)]
    if not results:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    inner = results[0].ndim
    out = nx.stack(results).reshape(lead + results[0].shape)
    if inner:
        out = nx.moveaxis(out, tuple(range(len(lead), len(lead) + inner)), tuple(range(axis, axis + inner)))
    return _declare.in_class_of(out, arr, results[0])


def apply_over_axes(func: Any, a: ArrayLike, axes: Axes) -> ndarray:
    """Calls a function with an array and an axis, for each axis in turn. If a result lacks the
    axis, it is added with size 1.

    Args:
      func: Function of an array and an axis.
      a: The array.
      axes: Axis or axes.

    Shapes: as `a`, with the sizes that `func` returns along `axes`.
    Errors: ValueError if the result of `func` has neither the axes of its argument nor one axis
    less.
    """
    out = nx.asarray(a)
    n = out.ndim
    each: Any = [axes] if nx.asarray(axes).ndim == 0 else axes
    for axis in each:
        axis = n + axis if axis < 0 else axis
        result = _C._outermost(func, out, axis)
        if result.ndim != out.ndim:
            result = nx.expand_dims(result, axis)
            if result.ndim != out.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        out = result
    return out


@_declare.value
def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """Kronecker product: a block matrix with `b` multiplied by each element of `a`.

    Args:
      a: First factor.
      b: Second factor.

    Shapes: `a` (m1, ..., mk) and `b` (n1, ..., nk), padded in front with axes of size 1; the result
    (m1 n1, ..., mk nk).
    """
    a, b = nx.asarray(a), nx.asarray(b)
    ndim = max(a.ndim, b.ndim)
    shape_a = (1,) * (ndim - a.ndim) + tuple(a.shape)
    shape_b = (1,) * (ndim - b.ndim) + tuple(b.shape)
    left = nx.reshape(a, tuple(n for size in shape_a for n in (size, 1)))
    right = nx.reshape(b, tuple(n for size in shape_b for n in (1, size)))
    return nx.reshape(nx.multiply(left, right), tuple(m * n for m, n in zip(shape_a, shape_b)))
