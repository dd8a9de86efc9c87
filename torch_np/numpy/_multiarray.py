"""Counterpart of numpy._core.multiarray, which NumPy writes in C: masked copies, memory overlap,
conversion of indices, and arrays made from buffers or iterables."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _arguments, _declare, _differentiation, _native as nx
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._interop.files import _reader

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

__all__ = ["copyto", "frombuffer", "fromfile", "fromiter", "fromstring", "may_share_memory", "putmask", "ravel_multi_index",
           "shares_memory", "unravel_index"]


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


def putmask(a: ndarray, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Writes values to an array where a mask is true, in place: `a.flat[n] = values[n %
    len(values)]`.

    Args:
      a: Array to change.
      mask: Boolean array.
      values: The values.

    Shapes: `mask` has as many elements as `a`; `values` any, flattened.
    Errors: ValueError for a read-only `a`, or if the sizes of `mask` and `a` differ; TypeError if
    `values` cannot be cast to the dtype of `a`.
    """
    a = _arguments.written_array("putmask", "a", a)
    # Numbers and lists of them are converted to the dtype of `a`, as in an assignment; arrays keep
    # their own.
    if not (_C._is_array(values) or isinstance(values, _numpy.ndarray)):
        values = nx.asarray(values, dtype=a.dtype)
    nx._put_where(a, mask, values, True)


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = 0) -> bool:
    """Whether the memory ranges of two arrays overlap. The arrays need not have a common element,
    unless `max_work` is -1 or large enough for an exact answer.

    Args:
      a: First array.
      b: Second array.
      max_work: Limit of the work for an exact answer; 0 compares the ranges only, -1 sets no limit.

    Shapes: any.
    """
    a, b = nx.asarray(a), nx.asarray(b)
    return _C._may_share_memory(a, b) if max_work == 0 else _shares_memory(_numpy.may_share_memory, a, b, max_work)


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int = -1) -> bool:
    """Whether two arrays have a byte in common, decided exactly.

    Args:
      a: First array.
      b: Second array.
      max_work: Limit of the work; -1 sets no limit.

    Shapes: any.
    Errors: numpy.exceptions.TooHardError if the problem needs more work than `max_work`.
    """
    return _shares_memory(_numpy.shares_memory, nx.asarray(a), nx.asarray(b), max_work)


def _shares_memory(solve: Any, a: ndarray, b: ndarray, max_work: int) -> bool:
    if max_work == -1 and (found := _C._shares_memory(a, b)) is not None:
        return found
    return solve(_C._numpy_view(a), _C._numpy_view(b), max_work=max_work)


_MODES = {"raise": 0, "wrap": 1, "clip": 2}


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
    try:
        modes = [_MODES[m] for m in ((mode,) if type(mode) is str else mode)]
    except KeyError as error:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {error})") from None
    try:
        return nx._ravel_multi_index(multi_index, dims, modes, order or "C")
    except TypeError:
        for index in multi_index:
            _check_integers(index)
        raise


def _check_integers(indices):
    """Raises TypeError unless `indices` are integers. An empty list has an error of its own."""
    places = nx.asarray(indices)
    if kind_of(places) in "iu":
        return
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
    try:
        return nx._unravel_index(indices, shape, order or "C")
    except TypeError:
        _check_integers(indices)
        raise


fromfile: Callable[..., ndarray] = _reader(_numpy.fromfile)
_frombuffer = _reader(_numpy.frombuffer)


def frombuffer(buffer: Any, dtype: NumPyDTypeLike | None = None, count: int = -1, offset: int = 0, *, like: Any = None) -> ndarray:
    """Returns a 1-d array over the memory of a buffer.

    Args:
      buffer: Object with Python's buffer protocol.
      dtype: Dtype of the elements; None is float64.
      count: Number of elements; -1 is all.
      offset: Offset of the first element, in bytes.
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.

    Shapes: (count,).
    Errors: ValueError if the buffer is too small.
    """
    dtype = float if dtype is None else dtype
    if type(buffer) is bytes and not isinstance(dtype, _C.dtype) and str(_C._get_default_device()) == "cpu":
        return _C._held(_numpy.frombuffer(buffer, dtype, count, offset))
    found = _frombuffer(buffer, dtype, count, offset)
    if not (_C._is_array(buffer) and _C._is_array(found)) or found.size == 0:  # a slice without elements does not begin at `offset`
        return found
    # so that its `base` is an array of this package
    return nx.asarray(buffer).reshape(-1).view(_numpy.uint8)[offset:offset + found.nbytes].view(found.dtype)


_fromstring = _reader(_numpy.fromstring)


def fromstring(string: str | bytes, dtype: NumPyDTypeLike = float, count: int = -1, sep: str = "", *, like: Any = None) -> ndarray:
    """Reads numbers from a text into a 1-d array.

    Args:
      string: The text.
      dtype: Dtype of the elements.
      count: Largest number of elements; -1 is all.
      sep: Separator of the numbers.
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.

    Shapes: (number of elements,).
    Errors: ValueError without `sep`.
    """
    return _fromstring(string, dtype, count, sep=sep)


_fromiter = _reader(_numpy.fromiter)


def fromiter(iter: Iterable[Any], dtype: NumPyDTypeLike, count: int = -1, *, like: Any = None) -> ndarray:
    """Makes a 1-d array from the items of an iterable. Gradients flow to items that are 0-d arrays.

    Args:
      iter: The iterable.
      dtype: Dtype of the elements.
      count: Largest number of items; -1 is all.
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.

    Shapes: (number of items,).
    Errors: ValueError if there are fewer than `count` items.
    """
    places: list[int] = []
    recorded: list[Any] = []

    def items() -> Iterator[Any]:
        for i, item in enumerate(iter):
            if _differentiation.compute_requires_grad(item):
                places.append(i)
                recorded.append(item)
            if getattr(item, "device", "cpu") == "meta":
                item.item()  # raises a clearer error than NumPy
            if _C._is_array(item) and item.ndim == 0 and isinstance(number := item.item(), complex):
                # for a real dtype NumPy takes the real part of this type, with a warning, but not
                # of other objects
                yield _numpy.complex128(number)
            else:
                yield item
    result = _fromiter(items(), dtype, count)
    if recorded and kind_of(result) in "fc":
        result[places] = nx.stack([nx.asarray(item).reshape(()) for item in recorded])
    return result
