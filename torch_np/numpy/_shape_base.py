"""Functions that combine and reshape arrays: append, insert, delete, block, apply_along_axis,
broadcasting.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy import _arguments, _values
from torch_np.numpy._arguments import of_class, shape_of
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, DeviceLike, Ints, NumPyDTypeLike

__all__ = ["append", "apply_along_axis", "apply_over_axes", "astype", "atleast_1d", "atleast_2d", "atleast_3d", "block", "broadcast_arrays",
           "broadcast_shapes", "copyto", "delete", "insert", "ndim", "put", "resize", "roll", "shape", "size", "trim_zeros"]


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
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """Appends values to an array. The result is always a copy.

    Args:
      arr: The array.
      values: Values to append.
      axis: Axis along which to append; None flattens both first.

    Shapes: as `arr`, longer along `axis`; `values` may differ from `arr` along `axis` only. Without
    `axis`, (all elements of both,).
    """
    arr = nx.asarray(arr)
    if axis is None:
        return nx.concatenate((arr.ravel(), nx.asarray(values).ravel()), axis=0)
    return nx.concatenate((arr, nx.asarray(values)), axis=axis)


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """Removes parts of an array along an axis.

    Args:
      arr: The array.
      obj: Indices to remove: an int, a slice, an array of ints or a boolean mask.
      axis: The axis; None uses the flattened array.

    Shapes: as `arr`, shorter along `axis`; one axis if that is None.
    Errors: IndexError for an index out of bounds, ValueError for a mask of the wrong length.
    """
    arr = nx.asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    # the mask needs values, as they determine the shape
    where = "cpu" if arr.device == "meta" else arr.device
    keep = nx.ones(n, dtype=bool, device=where)
    order = "F" if arr.flags.fnc else None
    if isinstance(obj, slice):
        keep[obj] = False
    elif isinstance(obj, (int, _numpy.integer)) and not isinstance(obj, bool):
        if not -n <= obj < n:
            raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
        keep[obj] = False
    else:
        index = nx.asarray(obj, device=None if _C._is_ndarray(obj) else where)
        if index.size == 0 and not isinstance(obj, (_numpy.ndarray, _C.ndarray)):
            index = index.astype(_numpy.intp)
        if kind_of(index) == "b":
            if index.shape != (n,):
                raise ValueError("boolean array argument `obj` to delete must be one-dimensional and match the axis "
                                 f"length of {n}")
            keep = ~index
        elif kind_of(index) not in "iu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        else:
            keep[index.ravel()] = False
    return nx.asarray(arr[(slice(None),) * axis + (keep,)], order=order)


def _without_leading_ones(values, ndim):
    """Removes leading axes of size 1, as an assignment does for a value with too many axes."""
    while values.ndim > ndim and values.shape[0] == 1:
        values = values[0]
    return values


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ndarray:
    """Inserts values into an array before given positions along an axis.

    Args:
      arr: The array.
      obj: Positions: an int, a slice, an array of ints or a boolean mask.
      values: Values to insert.
      axis: The axis; None uses the flattened array.

    Shapes: as `arr`, longer along `axis`; `values` broadcasts to the inserted part; one axis if
    `axis` is None.
    Errors: IndexError for a position out of bounds, or several positions that are not integers;
    TypeError for a single position that is not an integer; ValueError for positions with more than
    one axis.
    """
    arr = nx.asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    if isinstance(obj, slice):
        places = nx.arange(*obj.indices(n), dtype=_numpy.intp)
    else:
        places = nx.array(obj)
        if kind_of(places) == "b":
            if places.ndim != 1:
                raise ValueError("boolean array argument `obj` to insert must be one-dimensional")
            places, = places.nonzero()
        elif places.size == 0 and not isinstance(obj, (_numpy.ndarray, _C.ndarray)):
            places = places.astype(_numpy.intp)
        elif places.ndim > 1:
            raise ValueError("index array argument obj to insert must be one dimensional or scalar")
        elif kind_of(places) not in "iu" and places.size != 1:
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    values = nx.array(values, dtype=arr.dtype, ndmin=arr.ndim)
    order = "F" if arr.flags.fnc else "C"
    if places.device == "meta":  # only the shape matters
        if places.ndim == 0:
            values = nx.moveaxis(values, 0, axis)
        many = list(arr.shape)
        many[axis] = values.shape[axis] if places.size == 1 else len(places)
        return nx.asarray(nx.concatenate((arr, nx.broadcast_to(values, many)), axis=axis), order=order)
    if places.size == 1:  # any number of values can be inserted at one position
        index = places.item()
        if not -n <= index <= n:
            raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")
        if kind_of(places) not in "iu":
            raise TypeError("a place to insert at must be an integer")
        index = index + n if index < 0 else index
        if places.ndim == 0:
            values = nx.moveaxis(values, 0, axis)
        before, after = (slice(None),) * axis + (slice(None, index),), (slice(None),) * axis + (slice(index, None),)
        width = list(arr.shape)
        width[axis] = values.shape[axis]
        values = nx.broadcast_to(_without_leading_ones(values, arr.ndim), width)
        return nx.asarray(nx.concatenate((arr[before], values, arr[after]), axis=axis), order=order)
    places = places.astype(_numpy.intp)
    if places.size and _values.is_found((places < -n) | (places > n)):
        bad = int(places[(places < -n) | (places > n)][0])
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {n}")
    places = nx.where(places < 0, places + n, places)
    ascending = places.argsort(kind="stable")
    target = places.copy()
    target[ascending] += nx.arange(len(places))
    total = list(arr.shape)
    total[axis] += len(places)
    old = nx.ones(total[axis], dtype=bool)
    old[target] = False
    out = nx.empty(total, dtype=arr.dtype, order=order, device=arr.device)
    lead = (slice(None),) * axis
    out[lead + (target,)] = values
    out[lead + (old,)] = arr
    return out


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
    if any(n < 0 for n in sizes):
        raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(sizes)
    if a.size == 0 or total == 0:
        return nx.zeros(sizes, dtype=a.dtype, device=a.device)
    return nx.broadcast_to(a, (-(-total // a.size), a.size)).reshape(-1)[:total].reshape(sizes)


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
    Errors: ValueError if `func` returns an array with another number of axes.
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


@_declare.base_class
def broadcast_shapes(*args: Axes) -> tuple[int, ...]:
    """Returns the shape to which all given shapes broadcast.

    Args:
      args: Shapes.

    Errors: ValueError if there is none.
    """
    return _numpy.broadcast_shapes(*args)


@_declare.base_class
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    """Returns all arrays as views of their common shape.

    Args:
      args: Arrays.
      subok: Whether results have the class of their argument.

    Shapes: they broadcast; all results have the common shape.
    """
    arrays = [nx.asarray(a) for a in args]
    target = _numpy.broadcast_shapes(*(a.shape for a in arrays))
    views = [a if a.shape == target else nx.broadcast_to(a, target) for a in arrays]
    return tuple(map(of_class, views, args)) if subok else tuple(views)


@_declare.base_class
@_declare.takes_nested_arrays
def block(arrays: Any) -> ndarray:
    """Assembles an array from nested lists of blocks. The innermost lists are joined along the last
    axis, the next along the one before, and so on.

    Args:
      arrays: Nested lists of arrays.

    Shapes: blocks that are joined agree in all other axes; the result has as many axes as the depth
    of the lists, or as the block with the most.
    Errors: ValueError if depths or shapes do not match, TypeError for tuples.
    """
    empty: list[str] = []

    def depth(x, path):
        if isinstance(x, tuple):
            raise TypeError(f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
                            "allow implicit conversion from tuple to ndarray.")
        if isinstance(x, list):
            if not x:
                empty.append(path)
                return 1
            depths = {depth(v, f"{path}[{i}]") for i, v in enumerate(x)}
            if len(depths) > 1:
                raise ValueError(f"List depths are mismatched. Elements of {path} have depths {sorted(depths)}")
            return depths.pop() + 1
        return 0

    def deepest(x):
        return max(map(deepest, x)) if isinstance(x, list) else nx.asarray(x).ndim

    levels = depth(arrays, "arrays")
    if empty:
        raise ValueError(f"List at {empty[0]} cannot be empty")
    n = max(levels, deepest(arrays))

    def join(x, level):
        if isinstance(x, list):
            return nx.concatenate([join(v, level + 1) for v in x], axis=-(levels - level))
        x = nx.asarray(x)
        return x.reshape((1,) * (n - x.ndim) + x.shape)

    result = join(arrays, 0)
    return result.copy() if levels == 0 else result


@_declare.base_class
def astype(x: Any, dtype: NumPyDTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> ndarray:
    """Converts an array or number to a dtype.

    Args:
      x: Array or number.
      dtype: Dtype of the result.
      copy: Whether to copy an array that has the dtype already.
      device: Device of the result; None is that of `x`.

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
        # reduced modulo the size, which gives the same result
        return _C._numpy.roll(a, [s % max(nx.size(a), 1) for s in shifts], axis)


def copyto(dst: ArrayLike, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Copies values into an array where a mask is true.

    Args:
      dst: Array that is written.
      src: Values.
      casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
      where: Boolean mask.

    Shapes: `src` and `where` broadcast to `dst`.
    Errors: TypeError if `casting` forbids the cast, ValueError if the shapes do not broadcast.
    """
    dst = _arguments.written_array("copyto", "dst", dst)
    if casting == "unsafe" and type(src) is int and dst.dtype.kind in "fc":
        src = float(src)  # a float dtype accepts integers beyond 64 bits
    _C._numpy.copyto(dst, src, casting, where)


def put(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Writes values to positions of the flattened array, in place. The values are repeated as
    needed.

    Args:
      a: Array that is written.
      ind: Positions.
      v: Values.
      mode: 'raise' for an error if a position is out of range, 'wrap' or 'clip'.

    Shapes: `ind` and `v` any.
    Errors: TypeError unless `a` is an array; IndexError for a position out of bounds unless `mode`
    is 'wrap' or 'clip'.
    """
    _C._numpy.put(_arguments.written_array("put", "a", a), ind, v, mode)


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes | None = None) -> Any:
    """Removes leading and trailing zeros. A list gives a list.

    Args:
      filt: The array.
      trim: 'f' for leading zeros, 'b' for trailing ones, 'fb' for both.
      axis: Axis or axes; None is all of them.

    Shapes: as `filt`, shorter along the axes.
    Errors: ValueError for another `trim`.
    """
    a = nx.asarray(filt)
    trim = trim.lower()
    if trim not in {"fb", "bf", "f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim, argname="axis")
    if not axes:
        return filt
    found = nx.nonzero(a)
    key = [slice(None)] * a.ndim
    for d in axes:
        if not found[d].size:
            key[d] = slice(0, 0)
            continue
        low, high = int(found[d].min()), int(found[d].max()) + 1
        key[d] = slice(low if "f" in trim else None, high if "b" in trim else None)
    trimmed: Any = filt if isinstance(filt, (list, tuple)) else a  # a list is sliced itself
    return trimmed[key[0] if a.ndim == 1 else tuple(key)]


class _AtLeast(Protocol):
    @overload
    def __call__(self, array: ArrayLike, /) -> ndarray: ...
    @overload
    def __call__(self, *arys: ArrayLike) -> tuple[ndarray, ...]: ...


def _at_least(n: int) -> _AtLeast:
    expand = getattr(_C._torch, f"atleast_{n}d")

    def atleast(*arys: ArrayLike) -> Any:
        arrays = [expand(nx.asanyarray(a)._torch())._np_compat() for a in arys]
        return arrays[0] if len(arrays) == 1 else tuple(arrays)
    atleast.__name__ = atleast.__qualname__ = f"atleast_{n}d"
    added = ("() as (1,)", "() as (1, 1), (n,) as (1, n)", "() as (1, 1, 1), (n,) as (1, n, 1), (n, m) as (n, m, 1)")[n - 1]
    atleast.__doc__ = (f"The arguments as arrays of at least {n} dimensions; a tuple if there are several. "
                       f"Shapes: {added}; others as they are.")
    return atleast


atleast_1d, atleast_2d, atleast_3d = map(_at_least, (1, 2, 3))
