"""Index arrays: grids, `r_` and `c_`, multi-indices, and iteration over indices."""
from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy import _values
from torch_np.numpy._arguments import shape_of
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

__all__ = ["c_", "diag_indices", "diag_indices_from", "fill_diagonal", "index_exp", "indices", "ix_", "meshgrid", "mgrid", "ndenumerate",
           "ndindex", "ogrid", "r_", "ravel_multi_index", "s_", "unravel_index"]


class _Grid:
    """`mgrid` and `ogrid`: coordinate arrays from slices in brackets.

    `np.mgrid[0:2, 0:3]` is an array of shape (2, 2, 3): the coordinates along each axis at every
    point of the grid. `np.ogrid[0:2, 0:3]` is a tuple of arrays of shapes (2, 1) and (1, 3), which
    broadcast to the same. A step of `5j` means 5 evenly spaced points from start to stop, both
    included; otherwise the stop is excluded.
    """

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._line(key)
        axes = [self._axis(s, key) for s in key]
        n = len(axes)
        axes = [x.reshape([-1 if i == d else 1 for i in range(n)]) for d, x in enumerate(axes)]
        if self._sparse:
            return tuple(axes)
        shape = tuple(x.size for x in axes)
        dtype = nx.result_type(*axes) if axes else int
        grid = nx.empty((n, *shape), dtype=dtype)
        for d, x in enumerate(axes):
            grid[d] = x
        return grid

    @classmethod
    def _line(cls, s):
        """Returns the coordinates of a single slice, as `arange`: its dtype is that of Python
        numbers, or wider.
        """
        if isinstance(s.step, (complex, _numpy.complexfloating)):
            return cls._axis(s, [s])
        return nx.arange(0 if s.start is None else s.start, s.stop, 1 if s.step is None else s.step)

    @staticmethod
    def _axis(s, key):
        start, stop, step = s.start or 0, s.stop, 1 if s.step is None else s.step
        floating = any(isinstance(v, (float, complex, _numpy.complexfloating)) or getattr(getattr(v, "dtype", None), "kind", "i") == "f"
                       for t in key for v in (t.start, t.stop, t.step))
        dtype = _numpy.result_type(*(type(v) for t in key for v in (t.start, t.stop)
                                     if isinstance(v, _numpy.generic)), 1.0 if floating else 1)
        if isinstance(step, (complex, _numpy.complexfloating)):
            return nx.linspace(start, stop, int(abs(complex(step))), dtype=dtype)
        return nx.arange(start, stop, step, dtype=dtype) if not floating else _float_range(start, stop, step, dtype)

    def __repr__(self):
        return "ogrid" if self._sparse else "mgrid"


def _float_range(start, stop, step, dtype):
    length = int(math.ceil((stop - start) / (step * 1.0)))
    return nx.arange(0, length, 1, dtype=dtype) * step + start


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)


class _Concatenator:
    """`r_` and `c_`: slices, numbers and arrays in brackets, joined along an axis."""

    def __init__(self, axis=0, ndmin=1, trans1d=-1):
        self._defaults = axis, ndmin, trans1d

    def __getitem__(self, key):
        if isinstance(key, str) and key not in ("r", "c"):  # rows of a matrix, by names of the caller's arrays
            frame = sys._getframe(1)
            return _numpy_face().bmat(key, frame.f_globals, frame.f_locals)
        axis, ndmin, trans1d = self._defaults
        key = key if isinstance(key, tuple) else (key,)
        if key and isinstance(key[0], str) and key[0] in ("r", "c"):
            found = self[key[1:]]
            matrix = _numpy_face().matrix(found)
            return matrix.T if found.ndim == 1 and key[0] == "c" else matrix
        if key and isinstance(key[0], str):
            axis, ndmin, trans1d = self._directive(key[0])
            key = key[1:]
        parts = []
        for item in key:
            if isinstance(item, str):
                raise ValueError("special directives must be the first entry.")
            if isinstance(item, slice):
                part, was = _Grid._line(item), 1
            else:
                value = item if _C._is_ndarray(item) else nx.asarray(item)
                part, was = value, value.ndim
            if part.ndim < ndmin:
                missing = ndmin - part.ndim
                part = part.reshape((1,) * missing + part.shape)
                if trans1d != -1 and missing:
                    at = trans1d + missing + 1 if trans1d < 0 else trans1d
                    order = list(range(missing, ndmin)) if was else []
                    rest = [d for d in range(ndmin) if d not in order]
                    part = part.transpose(rest[:at] + order + rest[at:])
            scalar = was == 0 and isinstance(item, (bool, int, float, complex))
            parts.append((part, type(item)(0) if scalar else part.dtype))
        dtype = nx.result_type(*(d for _, d in parts))
        # A Python number, which does not affect the dtype, is converted to it.
        return nx.concatenate([p.astype(dtype) if own is p.dtype else nx.full(p.shape, p.item(), dtype) for p, own in parts], axis=axis)

    def _directive(self, text):
        axis, ndmin, trans1d = self._defaults
        try:
            numbers = [int(v) for v in text.split(",")]
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        return (*numbers, *(axis, ndmin, trans1d)[len(numbers):])[:3]

    def __len__(self):
        return 0


def _numpy_face():
    """Returns torch_np.numpy, which imports this module; its matrix functions are loaded on demand.
    """
    return sys.modules["torch_np.numpy"]


r_ = _Concatenator()
c_ = _Concatenator(axis=-1, ndmin=2, trans1d=0)


class _IndexExpression:
    """`s_[2::3]` is `slice(2, None, 3)`; `index_exp` always gives a tuple."""

    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


index_exp = _IndexExpression(True)
s_ = _IndexExpression(False)


def ix_(*args: Any) -> tuple[ndarray, ...]:
    """Makes an open mesh from 1-d sequences: `a[ix_([1, 3], [2, 5])]` selects the cross product.

    Args:
      args: 1-d sequences of integers or bools.

    Shapes: the arguments (n1,), ..., (nk,); the results (n1, 1, ..., 1), ..., (1, ..., 1, nk),
    where a boolean argument counts its true elements.
    Errors: ValueError for arguments that are not 1-d.
    """
    out, n = [], len(args)
    for d, new in enumerate(args):
        if not isinstance(new, (_C.ndarray, _numpy.ndarray)):
            new = nx.asarray(list(new) if isinstance(new, range) else new)
            if new.size == 0:
                new = new.astype(_numpy.intp)
        new = nx.asarray(new)
        if new.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if kind_of(new) == "b":
            new, = new.nonzero()
        out.append(new.reshape((1,) * d + (new.size,) + (1,) * (n - d - 1)))
    return tuple(out)


class ndindex:
    """Iterator over the indices of an array, last axis fastest.

    Args:
      shape: Shape of the array, as numbers or one tuple.

    Errors: ValueError for negative sizes, and for more than 64 axes.
    """

    def __init__(self, *shape: Any) -> None:
        shape = shape_of(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape)
        if any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        if len(shape) > 64:
            raise ValueError(f"ndindex(): maximum supported dimension for an ndarray is currently 64, found {len(shape)}")
        import itertools
        self._it = itertools.product(*map(range, shape))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, ...]:
        return next(self._it)


class ndenumerate:
    """Iterator over pairs of index and element.

    Args:
      arr: The array.

    Shapes: `arr` any; elements are 0-d.
    """

    def __init__(self, arr: ArrayLike) -> None:
        self._arr = nx.asarray(arr)
        self._indices = ndindex(self._arr.shape)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, ...]:
        index = next(self._indices)
        return index, self._arr[index]


@_declare.base_class
def indices(dimensions: Sequence[int], dtype: NumPyDTypeLike = int, sparse: bool = False) -> Any:
    """Returns the coordinates of the elements of a grid.

    Args:
      dimensions: Shape of the grid.
      dtype: Dtype of the result.
      sparse: Whether to return a tuple of arrays that broadcast to the grid.

    Shapes: (len(dimensions), *dimensions), or with `sparse` a tuple of broadcastable arrays.
    Errors: TypeError if `dimensions` is a number.
    """
    dimensions = tuple(dimensions)
    n = len(dimensions)
    axes = [nx.arange(d, dtype=dtype).reshape((1,) * i + (d,) + (1,) * (n - i - 1)) for i, d in enumerate(dimensions)]
    if sparse:
        return tuple(axes)
    grid = nx.empty((n, *dimensions), dtype=dtype)
    for i, x in enumerate(axes):
        grid[i] = x
    return grid


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
    Errors: ValueError for another `indexing`.
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


def diag_indices(n: int, ndim: Any = 2) -> tuple[ndarray, ...]:
    """Returns the indices of the main diagonal of an array with equal axes.

    Args:
      n: Size of the axes.
      ndim: Number of axes.

    Shapes: `ndim` results (n,).
    """
    return (nx.arange(n),) * ndim


@_declare.base_class
def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """Returns the indices of the main diagonal of an array.

    Args:
      arr: The array.

    Shapes: `arr` (n, ..., n); a result (n,) for each axis.
    Errors: ValueError unless it has 2 or more axes of one size.
    """
    if not arr.ndim >= 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def fill_diagonal(a: ndarray, val: ArrayLike, wrap: bool = False) -> None:
    """Writes values to the main diagonal of an array, in place.

    Args:
      a: Array to change.
      val: Values, repeated as needed.
      wrap: Whether the diagonal of a tall matrix starts again below.

    Shapes: `a` (m, n), or more axes of one size; `val` any.
    Errors: ValueError for fewer than 2 axes, or different sizes of more than 2 axes.
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    end = None
    if a.ndim == 2:
        step = a.shape[1] + 1
        if not wrap:
            end = a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + sum(math.prod(a.shape[:k]) for k in range(1, a.ndim))
    a.flat[:end:step] = val


@_declare.value
@_declare.takes_arrays
def ravel_multi_index(multi_index: Any, dims: Axes, mode: str | tuple[str, ...] = "raise", order: str = "C") -> ndarray:
    """Converts coordinates to indices of the flattened array.

    Args:
      multi_index: Index arrays, one for each axis.
      dims: Shape of the array.
      mode: 'raise' for an error if an index is out of range, 'wrap' or 'clip'; or one for each
        axis.
      order: 'C' for row-major, 'F' for column-major order.

    Shapes: the index arrays broadcast to the shape of the result.
    Errors: ValueError for an index out of bounds (mode 'raise'), and for `dims` with more elements
    than int64 can count.
    """
    sizes = shape_of(dims)
    modes = (mode,) * len(sizes) if isinstance(mode, str) else tuple(mode)
    if len(multi_index) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    if math.prod(max(d, 1) for d in sizes) > _numpy.iinfo(_numpy.intp).max:
        raise ValueError("invalid sizes: array size defined by dims is larger than the maximum possible size.")
    flat: Any = 0
    strides = []
    step = 1
    order = "C" if order is None else order
    for d in (reversed(sizes) if order == "C" else sizes):
        strides.append(step)
        step *= d
    if order == "C":
        strides.reverse()
    for index, d, stride, how in zip(multi_index, sizes, strides, modes):
        index = _places(index)
        if d == 0 and index.size:
            raise ValueError("cannot unravel if shape has zero entries and there are indices")
        if how == "raise":
            if _values.is_found((index < 0) | (index >= d)):
                raise ValueError("invalid entry in coordinates array")
        elif how == "wrap":
            index = index % d
        elif how == "clip":
            index = index.clip(0, d - 1)
        else:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")
        flat = flat + index * stride
    return nx.asarray(flat)


def _places(indices):
    """Returns `indices` as intp. Errors: TypeError unless they are integers."""
    places = nx.asarray(indices)
    if kind_of(places) in "iu":
        return places.astype(_numpy.intp)
    if places.size == 0 and not (_C._is_ndarray(indices) or isinstance(indices, _numpy.ndarray)):
        raise TypeError("indices must be integral: the provided empty sequence was inferred as float. Wrap it with "
                        "'np.array(indices, dtype=np.intp)'")
    raise TypeError("only int indices permitted")


def unravel_index(indices: ArrayLike, shape: Axes, order: str = "C") -> tuple[ndarray, ...]:
    """Converts indices of the flattened array to coordinates, one array for each axis.

    Args:
      indices: Indices of the flattened array.
      shape: Shape of the array.
      order: 'C' for row-major, 'F' for column-major order.

    Shapes: all results as `indices`.
    Errors: ValueError for an index out of bounds.
    """
    sizes = shape_of(shape)
    flat = _places(indices)
    total = math.prod(sizes)
    if total > _numpy.iinfo(_numpy.intp).max:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.")
    if flat.size and _values.is_found((flat < 0) | (flat >= total)):
        bad = int(flat[(flat < 0) | (flat >= total)][0]) if flat.ndim else int(flat)
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    if not sizes and flat.ndim:
        raise ValueError("multiple indices are not supported for 0d array")
    out = []
    order = "C" if order is None else order
    for d in (reversed(sizes) if order == "C" else sizes):
        flat, index = (flat // d, flat % d) if d else (flat, flat)
        out.append(index)
    return tuple(reversed(out)) if order == "C" else tuple(out)
