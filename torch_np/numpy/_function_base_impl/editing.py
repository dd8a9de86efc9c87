"""Arrays with elements added or removed."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _declare, _native as nx, _values
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes

__all__ = ["append", "delete", "insert", "trim_zeros"]


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

    Shapes: as `arr`, shorter along `axis`; one axis if `axis` is None.
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


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes | None = None) -> Any:
    """Removes leading and trailing zeros. A list gives a list.

    Args:
      filt: The array.
      trim: 'f' for leading zeros, 'b' for trailing ones, 'fb' for both.
      axis: Axis or axes; None is all of them.

    Shapes: as `filt`, shorter along the axes.
    Errors: ValueError if `trim` is none of these.
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
