"""Index arrays: grids, `r_` and `c_`, multi-indices, and iteration over indices."""
from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._arguments import shape_of
from torch_np.numpy._dtypes import kind_of, result_type
from torch_np.numpy._fromnumeric import resize
from torch_np.numpy._function_base import linspace

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["c_", "diag_indices", "diag_indices_from", "fill_diagonal", "index_exp", "ix_", "mgrid", "ndenumerate", "ndindex", "ogrid",
           "r_", "s_"]


_NUMBERS = (int, float)


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
        axes = [x.reshape((1,) * d + (-1,) + (1,) * (n - 1 - d)) for d, x in enumerate(axes)]
        if self._sparse:
            return tuple(axes)
        dtype = result_type(*axes) if axes else int
        grid = nx.empty((n, *[x.size for x in axes]), dtype=dtype)
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
        if all([type(v) is int or v is None for t in key for v in (t.start, t.stop, t.step)]):
            return nx.arange(start, stop, step, dtype=_numpy.int64)
        floating = any(isinstance(v, (float, complex, _numpy.complexfloating)) or getattr(getattr(v, "dtype", None), "kind", "i") == "f"
                       for t in key for v in (t.start, t.stop, t.step))
        dtype = _numpy.result_type(*(type(v) for t in key for v in (t.start, t.stop)
                                     if isinstance(v, _numpy.generic)), 1.0 if floating else 1)
        if isinstance(step, (complex, _numpy.complexfloating)):
            return linspace(start, stop, int(abs(complex(step))), dtype=dtype)
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
        dtype = result_type(*(d for _, d in parts))
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
    Errors: ValueError unless `arr` has 2 or more axes, all of one size.
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

    Shapes: `a` (m, n), or (n, ..., n) with more than 2 axes; `val` any.
    Errors: ValueError for fewer than 2 axes, or for more than 2 axes of different sizes.
    """
    shape = a.shape
    ndim = len(shape)
    if ndim < 2:
        raise ValueError("array must be at least 2-d")
    end = None
    if ndim == 2:
        step = shape[1] + 1
        if not wrap:
            end = shape[1] * shape[1]
    else:
        if len(set(shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + sum(math.prod(shape[:k]) for k in range(1, ndim))
    diagonal = None
    if type(a) is _C.ndarray and (flags := a.flags).writeable:  # as a view, which needs no indices
        if flags.c_contiguous:
            diagonal = a.reshape(-1)[:end:step]
        elif ndim == 2 and not (wrap and shape[0] > shape[1]):
            diagonal = _C._torch.diagonal(a)._np_compat()
    if diagonal is None:
        a.flat[:end:step] = val
    elif type(val) in _NUMBERS:
        diagonal[...] = val
    else:
        values = nx.asarray(val)
        if values.size or values.ndim == 0:  # without values, nothing is written
            diagonal[...] = values if values.ndim == 0 or values.shape == diagonal.shape else resize(values, diagonal.shape)
