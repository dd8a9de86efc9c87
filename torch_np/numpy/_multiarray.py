"""Counterpart of numpy._core.multiarray, which NumPy writes in C: masked copies, memory overlap,
conversion of indices, and arrays made from buffers or iterables."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _arguments, _declare, _differentiation, _native as nx, _values
from torch_np.numpy._arguments import shape_of
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._fromnumeric import resize
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
    if not a.flags.writeable:
        raise ValueError("putmask(): output array is read-only")
    # Numbers and lists of them are converted to the dtype of `a`, as in an assignment; arrays keep
    # their own.
    own = _C._is_array(values) or isinstance(values, _numpy.ndarray)
    mask, values = nx.asarray(mask, dtype=bool), nx.asarray(values, dtype=None if own else a.dtype)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if values.dtype != a.dtype and not _numpy.can_cast(values.dtype, a.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    if values.size and a.size:
        if values.shape != a.shape:
            values = values.reshape(()) if values.size == 1 else resize(values, a.shape)
        _C._numpy.copyto(a, values, "unsafe", mask.reshape(a.shape))


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
    if not _C._may_share_memory(a, b):
        return False
    return solve(_C._numpy_view(a), _C._numpy_view(b), max_work=max_work)


_LARGEST = _numpy.iinfo(_numpy.intp).max


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
    if math.prod(sizes if 0 not in sizes else (max(d, 1) for d in sizes)) > _LARGEST:
        raise ValueError("invalid sizes: array size defined by dims is larger than the maximum possible size.")
    order = "C" if order is None else order
    if all(type(i) is int for i in multi_index) and _on_host():
        number: Any = _numpy.intp(_flat_number(multi_index, sizes, modes, order))
        return number
    flat: Any = None
    strides = []
    step = 1
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
            if _values.is_found(index.view(_numpy.uintp) >= d):  # negative numbers are large ones
                raise ValueError("invalid entry in coordinates array")
        elif how == "wrap":
            index = index % d
        elif how == "clip":
            index = index.clip(0, d - 1)
        else:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")
        place = index * stride if stride != 1 else index
        flat = place if flat is None else flat + place
    return nx.asarray(0 if flat is None else flat)


def _on_host():
    """Whether new arrays are on the CPU."""
    return str(_C._get_default_device()) == "cpu"


def _flat_number(multi_index, sizes, modes, order):
    """Returns the flat index of a single element, whose coordinates are Python ints."""
    flat = 0
    for index, d, how in (zip(multi_index, sizes, modes) if order == "C" else zip(*map(reversed, (multi_index, sizes, modes)))):
        if d == 0:
            raise ValueError("cannot unravel if shape has zero entries and there are indices")
        if how == "raise":
            if not 0 <= index < d:
                raise ValueError("invalid entry in coordinates array")
        elif how == "wrap":
            index %= d
        elif how == "clip":
            index = min(max(index, 0), d - 1)
        else:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")
        flat = flat * d + index
    return flat


def _coordinates(flat, sizes, order):
    """Returns the coordinates of a single element as a list of ints."""
    out = []
    for d in (reversed(sizes) if order == "C" else sizes):
        flat, index = divmod(flat, d)
        out.append(index)
    return out[::-1] if order == "C" else out


def _places(indices):
    """Returns `indices` as intp. Errors: TypeError unless they are integers."""
    places = nx.asarray(indices)
    if kind_of(places) in "iu":
        return places.astype(_numpy.intp, copy=False)
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
    total = math.prod(sizes)
    order = "C" if order is None else order
    if type(indices) is int and 0 <= indices < total <= _LARGEST and _on_host():
        return tuple(map(_numpy.intp, _coordinates(indices, sizes, order)))
    flat = _places(indices)
    if total > _LARGEST:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.")
    if flat.size and _values.is_found(flat.view(_numpy.uintp) >= total):  # negative numbers are large ones
        bad = int(flat[(flat < 0) | (flat >= total)][0]) if flat.ndim else int(flat)
        raise ValueError(f"index {bad} is out of bounds for array with size {total}")
    if not sizes and flat.ndim:
        raise ValueError("multiple indices are not supported for 0d array")
    out = []
    for d in (sizes[:0:-1] if order == "C" else sizes[:-1]):
        flat, index = nx.divmod(flat, d) if d else (flat, flat)
        out.append(index)
    if sizes:  # what is left is in the range of the last of these axes
        is_argument = len(sizes) == 1 and _C._is_ndarray(flat)
        out.append((flat.copy() if flat.ndim else flat[()]) if is_argument else flat)
    return tuple(reversed(out)) if order == "C" else tuple(out)


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
    found = _frombuffer(buffer, float if dtype is None else dtype, count, offset)
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
