"""The shape of arrays, choices by index and running sums: counterpart of
numpy._core.fromnumeric."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.lib.array_utils import normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _arguments, _declare, _native as nx
from torch_np.numpy._arguments import shape_of
from torch_np.numpy._dtypes import result_type

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

__all__ = ["choose", "cumulative_prod", "cumulative_sum", "ndim", "put", "resize", "shape", "size"]


@_declare.base_class
def shape(a: ArrayLike) -> tuple[int, ...]:
    """Returns the shape of an array as a tuple of ints.

    Args:
      a: The array.

    Shapes: any.
    """
    return a.shape if _C._is_ndarray(a) else nx.asarray(a).shape


@_declare.base_class
def ndim(a: ArrayLike) -> int:
    """Returns the number of axes of an array.

    Args:
      a: The array.

    Shapes: any.
    """
    return a.ndim if _C._is_ndarray(a) else nx.asarray(a).ndim


@_declare.base_class
def size(a: ArrayLike, axis: Axes | None = None) -> int:
    """Returns the number of elements of an array, or along some of its axes.

    Args:
      a: The array.
      axis: Axis or axes; None is all of them.

    Shapes: any.
    """
    a = nx.asarray(a)
    if axis is None:
        return a.size
    return math.prod(a.shape[d] for d in normalize_axis_tuple(axis, a.ndim))


@_declare.base_class
def resize(a: ArrayLike, new_shape: Axes) -> ndarray:
    """Repeats the elements of an array as needed to fill a new shape.

    Args:
      a: The array.
      new_shape: Shape of the result.

    Shapes: `a` any, the result `new_shape`; zeros if `a` is empty.
    Errors: ValueError for negative sizes.
    """
    sizes = shape_of(new_shape)
    a = nx.ravel(nx.asarray(a))
    if min(sizes, default=0) < 0:
        raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(sizes)
    if a.size == 0 or total == 0:
        return nx.zeros(sizes, dtype=a.dtype, device=a.device)
    times = -(-total // a.size)
    # the result is never a view of `a`
    repeated = nx.tile(a, times) if times > 1 else a[:total].copy()
    return (repeated if repeated.size == total else repeated[:total]).reshape(sizes)


def put(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: str | None = "raise") -> None:
    """Writes values to positions of the flattened array, in place. The values are repeated as
    needed.

    Args:
      a: Array that is written.
      ind: Positions.
      v: Values.
      mode: 'raise' for an error if a position is out of range, 'wrap' or 'clip'. None is 'raise'.

    Shapes: `ind` and `v` any.
    Errors: TypeError unless `a` is an array; IndexError for a position out of bounds unless `mode`
    is 'wrap' or 'clip'.
    """
    _C._numpy.put(_arguments.written_array("put", "a", a), ind, v, mode)


def _choices(values):
    """Returns the common dtype of `values`, in which Python numbers are weak, and the values as
    arrays.
    """
    values = [v if isinstance(v, (int, float, complex)) else nx.asarray(v) for v in values]
    return result_type(*values), *map(nx.asarray, values)


@_declare.takes_arrays
def choose(a: ArrayLike, choices: Sequence[ArrayLike] | ndarray, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    """Selects each element from one of several arrays, by index.

    Args:
      a: Indices of the choices.
      choices: Arrays to select from.
      out: Array that receives the result.
      mode: 'raise' for an error if an index is out of range, 'wrap' or 'clip'.

    Shapes: `a` and all choices broadcast.
    Errors: ValueError for an index out of bounds (mode 'raise') and if `mode` is none of these,
    TypeError for indices that are not integers.
    """
    result = nx._choose(a, choices, mode)
    if out is None:
        return result
    nx.copyto(_arguments.written_array("copyto", "dst", out), result, casting="unsafe")
    return out


def cumulative_sum(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                   include_initial: bool = False) -> ndarray:
    """Returns the cumulative sum along an axis.

    Args:
      x: Input array.
      axis: Axis of the sum; may be None for up to one axis.
      dtype: Dtype of the result.
      out: Array that receives the result.
      include_initial: Whether the result begins with 0.

    Shapes: as `x`; one element more along `axis` if `include_initial`.
    Errors: ValueError if `axis` is None for several axes.
    """
    return _cumulative(nx.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                    include_initial: bool = False) -> ndarray:
    """Returns the cumulative product along an axis.

    Args:
      x: Input array.
      axis: Axis of the product; may be None for up to one axis.
      dtype: Dtype of the result.
      out: Array that receives the result.
      include_initial: Whether the result begins with 1.

    Shapes: as `x`; one element more along `axis` if `include_initial`.
    Errors: ValueError if `axis` is None for several axes.
    """
    return _cumulative(nx.cumprod, 1, x, axis, dtype, out, include_initial)


def _cumulative(function, start, x, axis, dtype, out, include_initial):
    x = nx.asanyarray(x)
    if x.ndim > 1 and axis is None:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = 0 if axis is None else axis
    x = x.reshape(1) if x.ndim == 0 else x
    if not include_initial:
        return function(x, axis=axis, dtype=dtype, out=out)
    result = function(x, axis=axis, dtype=dtype)
    shape = list(x.shape)
    shape[axis] = 1
    result = nx.concatenate((nx.full(shape, start, dtype=result.dtype), result), axis=axis)
    if out is None:
        return result
    out[...] = result
    return out
