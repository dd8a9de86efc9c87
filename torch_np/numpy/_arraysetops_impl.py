"""Set operations on sorted arrays: unique elements, membership, intersection, union, difference."""
from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult", "ediff1d", "intersect1d", "isin", "setdiff1d", "setxor1d",
           "union1d", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAllResult(typing.NamedTuple):
    """Result of `unique_all`. Shapes: values, indices and counts (n,), inverse_indices as the
    argument.
    """
    values: _C.ndarray
    indices: _C.ndarray
    inverse_indices: _C.ndarray
    counts: _C.ndarray


class UniqueCountsResult(typing.NamedTuple):
    """Result of `unique_counts`. Shapes: values and counts (n,)."""
    values: _C.ndarray
    counts: _C.ndarray


class UniqueInverseResult(typing.NamedTuple):
    """Result of `unique_inverse`. Shapes: values (n,), inverse_indices as the argument."""
    values: _C.ndarray
    inverse_indices: _C.ndarray


def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, *,
           equal_nan: bool = True, sorted: bool = True) -> Any:
    """Returns the sorted distinct elements of an array, or its distinct slices along an axis.

    The result is an array, or a tuple with the further arrays that are requested.

    Args:
      ar: Input array.
      return_index: Whether to return the index of the first occurrence of each value.
      return_inverse: Whether to return the index of each element of `ar` in the values.
      return_counts: Whether to return the number of occurrences of each value.
      axis: Axis whose slices are compared; None compares the elements of the flattened array.
      equal_nan: Whether all NaNs count as the same value.
      sorted: Whether the values must be sorted. They also are if they need not be.

    Shapes: values, indices and counts (n,); the inverse as `ar`, or (n of `ar` along `axis`,).
    """
    a = nx.asarray(ar)
    if axis is None:
        return _results(*_unique_flat(a, return_index, return_inverse, return_counts, equal_nan, a.shape))
    axis = normalize_axis_index(axis, a.ndim)
    if a.ndim == 1:
        return _results(*_unique_flat(a, return_index, return_inverse, return_counts, equal_nan, a.shape))
    moved = nx.moveaxis(a, axis, 0)
    n = moved.shape[0]
    rows = moved.reshape(n, moved.size // n if n else 1)
    order = nx.lexsort(nx.flip(rows, 1).T) if rows.shape[1] and n else nx.arange(n)
    ordered = rows[order]
    fresh = nx.ones(n, dtype=bool)
    if n > 1:
        fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    values = nx.moveaxis(moved[order[fresh]], 0, axis)
    return _results(values, *_extras(order, fresh, return_index, return_inverse, return_counts, (n,)))


def _unique_flat(a, index, inverse, counts, equal_nan, inverse_shape):
    flat = a.ravel()
    if index or inverse or counts:
        order = flat.argsort(kind="stable")
        ordered = flat[order]
    else:
        order, ordered = None, nx.sort(flat)
    fresh = nx.ones(ordered.size, dtype=bool)
    if ordered.size > 1:
        fresh[1:] = ordered[1:] != ordered[:-1]
        if equal_nan and kind_of(a) in "fc":
            missing = nx.isnan(ordered)
            first = int(ordered.size - missing.sum())
            fresh[first + 1:] = False
    return ordered[fresh], *_extras(order, fresh, index, inverse, counts, inverse_shape)


def _extras(order, fresh, index, inverse, counts, inverse_shape):
    if index:
        yield order[fresh]
    if inverse:
        place = nx.empty(fresh.shape, dtype=_numpy.intp)
        place[order] = nx.cumsum(fresh) - 1
        yield place.reshape(inverse_shape)
    if counts:
        starts = nx.concatenate((*nx.nonzero(fresh), nx.asarray([fresh.size])))
        yield starts[1:] - starts[:-1]


def _results(*parts):
    return parts[0] if len(parts) == 1 else parts


def unique_values(x: ArrayLike) -> ndarray:
    """Returns the sorted distinct elements of an array. NaNs are distinct from each other.

    Args:
      x: Input array.

    Shapes: `x` any, the result (n,).
    """
    return unique(x, equal_nan=False)


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """Returns the sorted distinct elements of an array and their numbers of occurrences. NaNs are
    distinct from each other.

    Args:
      x: Input array.

    Shapes: `x` any, values and counts (n,).
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """Returns the sorted distinct elements of an array, and the index of each element of `x` in
    them. NaNs are distinct from each other.

    Args:
      x: Input array.

    Shapes: `x` any, values (n,), inverse_indices as `x`.
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """Returns the sorted distinct elements of an array, the indices of their first occurrences, the
    inverse, and the numbers of occurrences. NaNs are distinct from each other.

    Args:
      x: Input array.

    Shapes: `x` any, values, indices and counts (n,), inverse_indices as `x`.
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> ndarray:
    """Returns the differences of consecutive elements of a flattened array.

    Args:
      ary: Input array, of n elements.
      to_end: Elements to append.
      to_begin: Elements to prepend.

    Shapes: `ary` any; the result (n - 1 + number of added elements,).
    Dtypes: the dtype of `ary`.
    Errors: TypeError if `to_begin` or `to_end` cannot be cast to the dtype of `ary` by the rule
    'same_kind'.
    """
    a = nx.asarray(ary).ravel()
    parts = [a[1:] - a[:-1]]
    for extra, front in ((to_begin, True), (to_end, False)):
        if extra is not None:
            extra = nx.asarray(extra)
            if not _numpy.can_cast(extra.dtype, a.dtype, "same_kind"):
                raise TypeError(f"dtype of `to_{'begin' if front else 'end'}` must be compatible with input `ary` "
                                "under the `same_kind` rule.")
            parts.insert(0 if front else len(parts), extra.ravel().astype(a.dtype))
    return nx.concatenate(parts) if len(parts) > 1 else parts[0]


@_declare.base_class
def isin(element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False, *,
         kind: str | None = None) -> ndarray:
    """Whether each element occurs in a set of values.

    Args:
      element: Elements to look up.
      test_elements: The set of values.
      assume_unique: Whether both arrays have no repeated elements: a hint, the result is the same
        without it.
      invert: Whether to negate the result.
      kind: Algorithm: 'sort', 'table' for a lookup table of integers, or None to choose.

    Shapes: as `element`; `test_elements` any.
    Dtypes: bool.
    Errors: ValueError if `kind` is none of these, and for 'table' unless `element` and
    `test_elements` are integers or bools; RuntimeError for 'table' if the range of the numbers is
    too large.
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    a, values = nx.asarray(element), nx.asarray(test_elements).ravel()
    if kind == "table":
        if kind_of(a) not in "biu" or kind_of(values) not in "biu":
            raise ValueError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.")
        largest = 1 if kind_of(values) == "b" else _numpy.iinfo(values.dtype).max
        if values.size and a.size and int(values.max()) - int(values.min()) > largest:
            raise RuntimeError("You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the "
                               "maximum integer of the datatype. Please set `kind` to None or 'sort'.")
    if values.size == 0:
        return nx.full(a.shape, invert, dtype=bool, device=a.device)
    if kind != "sort" and kind_of(a) in "biu" and kind_of(values) in "biu" and a.size:
        low, high = int(values.min()), int(values.max())
        # Uses a lookup table, unless it would be much larger than the arrays. Numbers below the
        # range wrap to large ones.
        if kind == "table" or high - low <= 6 * (a.size + values.size):
            if low >= -2**63 and high < 2**63:
                return _in_table(a, values, low, high, invert)
    values = nx.sort(values)
    place = nx.searchsorted(values, a).clip(0, values.size - 1)
    found = values[place] == a
    return nx.asarray(~found if invert else found)


def _in_table(a, values, low, high, invert):
    # the last entry represents all values outside of the range
    table = nx.full(high - low + 2, invert, dtype=bool)
    table[values.astype(_numpy.int64) - low] = not invert
    if low < 0 and a.dtype == _numpy.uint64:  # numbers that would wrap into the table as int64
        a = nx.minimum(a, _numpy.uint64(2**63 - 1))
    place = a.astype(_numpy.int64, copy=False).view(_numpy.uint64) - _numpy.uint64(low % 2**64)
    return nx.asarray(table[nx.minimum(place, _numpy.uint64(high - low + 1))])


@_declare.base_class
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Returns the sorted elements that both arrays have.

    Args:
      ar1: First array.
      ar2: Second array.
      assume_unique: Whether the elements of each array are distinct.
      return_indices: Whether to return also the indices of the first occurrences in both arrays.

    Shapes: both any; the results (n,).
    """
    a, b = nx.asarray(ar1), nx.asarray(ar2)
    if assume_unique:
        a, b = a.ravel(), b.ravel()
    else:
        (a, ia), (b, ib) = unique(a, return_index=True), unique(b, return_index=True)
    both = nx.concatenate((a, b))
    order = both.argsort(kind="stable")
    both = both[order]
    mask = both[1:] == both[:-1]
    common = both[:-1][mask]
    if not return_indices:
        return common
    at_a, at_b = order[:-1][mask], order[1:][mask] - a.size
    return (common, at_a, at_b) if assume_unique else (common, ia[at_a], ib[at_b])


@_declare.base_class
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """Returns the sorted elements that exactly one of two arrays has.

    Args:
      ar1: First array.
      ar2: Second array.
      assume_unique: Whether the elements of each array are distinct.

    Shapes: both any, the result (n,).
    """
    a, b = (ar1, ar2) if assume_unique else (unique(ar1), unique(ar2))
    both = nx.sort(nx.concatenate((a, b), axis=None))
    if both.size == 0:
        return both
    edge = nx.concatenate((nx.asarray([True]), both[1:] != both[:-1], nx.asarray([True])))
    return both[edge[1:] & edge[:-1]]


@_declare.base_class
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    """Returns the sorted elements that at least one of two arrays has.

    Args:
      ar1: First array.
      ar2: Second array.

    Shapes: both any, the result (n,).
    """
    return unique(nx.concatenate((ar1, ar2), axis=None))


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    """Returns the elements of the first array that the second does not have; sorted unless
    `assume_unique`.

    Args:
      ar1: First array.
      ar2: Second array.
      assume_unique: Whether the elements of `ar1` are distinct.

    Shapes: both any, the result (n,).
    """
    a = nx.asarray(ar1).ravel() if assume_unique else unique(ar1)
    return a[isin(a, nx.asarray(ar2), invert=True)]
