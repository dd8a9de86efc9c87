"""Compositions that build arrays out of arrays: append, insert, delete, block, apply_along_axis, broadcasting."""
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
    """The shape of `a`, a tuple of ints. Shapes: any."""
    return a.shape if _C._is_ndarray(a) else nx.asarray(a).shape


@_declare.base_class
def ndim(a: ArrayLike) -> int:
    """The number of axes of `a`. Shapes: any."""
    return a.ndim if _C._is_ndarray(a) else nx.asarray(a).ndim


@_declare.base_class
def size(a: ArrayLike, axis: Axes | None = None) -> int:
    """The number of elements of `a`, or along `axis` (an int or a tuple of them). Shapes: any."""
    a = nx.asarray(a)
    if axis is None:
        return a.size
    return math.prod(a.shape[d] for d in normalize_axis_tuple(axis, a.ndim))


@_declare.base_class
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`values` joined to the end of `arr` along `axis`, or both raveled if None. Always a copy.

    Shapes: as `arr`, longer along `axis`, in which alone `values` may differ; without `axis`, (all elements of both,).
    """
    arr = nx.asarray(arr)
    if axis is None:
        return nx.concatenate((arr.ravel(), nx.asarray(values).ravel()), axis=0)
    return nx.concatenate((arr, nx.asarray(values)), axis=axis)


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """`arr` without the parts that `obj` (int, slice, indices or mask) names along `axis`; raveled if None.

    Shapes: as `arr`, shorter along `axis`; one axis if that is None.
    Errors: IndexError for an index out of bounds, ValueError for a mask of the wrong length.
    """
    arr = nx.asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    where = "cpu" if arr.device == "meta" else arr.device  # what remains decides on the shape
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
    """What an assignment makes of a value of more axes than there are to assign to."""
    while values.ndim > ndim and values.shape[0] == 1:
        values = values[0]
    return values


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`values` put into `arr` before the places `obj` along `axis`; raveled if None.

    Shapes: as `arr`, longer along `axis`; `values` broadcast to what is put in; one axis if `axis` is None.
    Errors: IndexError for a place out of bounds, or several of them that are no integers; TypeError for one that is none; ValueError for
    places of more than one axis.
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
    if places.device == "meta":  # as many more, wherever
        if places.ndim == 0:
            values = nx.moveaxis(values, 0, axis)
        many = list(arr.shape)
        many[axis] = values.shape[axis] if places.size == 1 else len(places)
        return nx.asarray(nx.concatenate((arr, nx.broadcast_to(values, many)), axis=axis), order=order)
    if places.size == 1:  # any number of values goes before one place
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
    """`a` repeated as often as needed to fill `new_shape`.

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
    """`func1d(slice, *args, **kwargs)` for every 1-d slice of `arr` along `axis`; its result takes the slice's place.

    Shapes: `func1d` gets (n,) and gives any, the same each time; the result has these axes in place of `axis`.
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
    """`func(a, axis)` for each of `axes` in turn; a result that lost the axis gets it back with size 1.

    Shapes: as `a`, with the sizes along `axes` that `func` gives.
    Errors: ValueError where `func` gives an array of another number of axes.
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
    """The shape to which all given shapes broadcast. Errors: ValueError if there is none."""
    return _numpy.broadcast_shapes(*args)


@_declare.base_class
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    """All arguments as views of their common shape, of the class of the argument if `subok`.

    Shapes: they broadcast; all results have the common shape.
    """
    arrays = [nx.asarray(a) for a in args]
    target = _numpy.broadcast_shapes(*(a.shape for a in arrays))
    views = [a if a.shape == target else nx.broadcast_to(a, target) for a in arrays]
    return tuple(map(of_class, views, args)) if subok else tuple(views)


@_declare.base_class
@_declare.takes_nested_arrays
def block(arrays: Any) -> ndarray:
    """An array from nested lists of blocks: innermost lists are joined along the last axis, and so on outwards.

    Shapes: those of blocks agree but for the axis that they are joined along; the result has as many axes as the deepest list, or the block
    of most.
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
        return _C._numpy.roll(a, [s % max(nx.size(a), 1) for s in shifts], axis)  # no axis is that much longer


def copyto(dst: ArrayLike, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Copies `src` into `dst`, broadcast, where the mask `where` is true.

    Shapes: `src` and `where` broadcast to `dst`.
    Errors: TypeError if `casting` forbids the cast, ValueError if the shapes do not broadcast.
    """
    dst = _arguments.written_array("copyto", "dst", dst)
    if casting == "unsafe" and type(src) is int and dst.dtype.kind in "fc":
        src = float(src)  # integers beyond 64 bits are numbers to a float
    _C._numpy.copyto(dst, src, casting, where)


def put(a: ndarray, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Writes `v`, repeated as often as needed, to the places `ind` of the flattened array `a`.

    Shapes: `ind` and `v` any.
    Errors: TypeError unless `a` is an array; IndexError for an index out of bounds unless `mode` is 'wrap' or 'clip'.
    """
    _C._numpy.put(_arguments.written_array("put", "a", a), ind, v, mode)


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes | None = None) -> Any:
    """`filt` without leading (`f`) and trailing (`b`) zeros, along `axis` or all axes.

    Shapes: as `filt`, shorter along the axes. A list gives a list.
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
    trimmed: Any = filt if isinstance(filt, (list, tuple)) else a  # a list gives up its own elements
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
