"""Files and text: NumPy's readers and writers. The arrays read are views of the memory that NumPy
filled.
"""
from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, KeysView
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy import _exchange, _recording
from torch_np.numpy._dtypes import as_numpy_dtype, bfloat16, kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import NumPyDTypeLike

__all__ = ["NpzFile", "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
           "savez_compressed"]


def _ours(value):
    if not isinstance(value, _numpy.ndarray):
        return value
    # NumPy's files store bfloat16 as a void of two bytes, which no other dtype of the engine is
    # stored as.
    value = value.view(bfloat16) if value.dtype == _numpy.dtype("V2") else value
    # An array that the engine does not hold is returned as NumPy read it, since a file may not be
    # readable twice.
    return value if _C._fallback_allowed() and not _C._is_array(_C._held(value)) else nx.asarray(value)


def _theirs(value):
    if _C._is_array(value):
        return _C._numpy_view(value)
    if isinstance(value, _C.dtype):
        return as_numpy_dtype(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_theirs(v) for v in value) if type(value) in (list, tuple) else value
    return value


def _reader(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a reader of NumPy, whose result is converted."""
    @functools.wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("like", None)
        if _recording.recording(*args, *kwargs.values()):
            raise NotImplementedError(f"{function.__name__}(): bytes carry no gradient, so there is no derivative; detach the array")
        found = _C._outermost(function, *map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
        if isinstance(found, _numpy.lib.npyio.NpzFile):
            return NpzFile(found)
        if isinstance(found, (tuple, list)):
            return type(found)(_ours(v) for v in found)
        return _ours(found)
    _exchange.copy_signature(read, function)
    read.__module__ = "torch_np.numpy"
    return read


def _writer(function: Callable[..., Any]) -> Callable[..., None]:
    @functools.wraps(function)
    def write(*args: Any, **kwargs: Any) -> None:
        _C._outermost(function, *map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
    _exchange.copy_signature(write, function)
    write.__module__ = "torch_np.numpy"
    return write


class NpzFile:
    """The arrays of an `.npz` file by name, read on access. It is a context manager; `close()`
    closes the file.

    Args:
      npz: NumPy's object.

    Errors: KeyError for an unknown name.
    """

    files: list[str]
    close: Callable[[], None]

    def __init__(self, npz: Any) -> None:
        self._npz = npz

    def __getitem__(self, key: str) -> ndarray:
        return _ours(self._npz[key])

    if not TYPE_CHECKING:  # type checkers would accept every name
        def __getattr__(self, name: str) -> Any:
            return getattr(self._npz, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._npz)

    def __len__(self) -> int:
        return len(self._npz)

    def __contains__(self, key: object) -> bool:
        return key in self._npz

    def keys(self) -> KeysView[str]:
        """Returns the names of the arrays."""
        return self._npz.keys()

    def values(self) -> list[ndarray]:
        """Reads all arrays, one by one."""
        return [self[k] for k in self._npz]

    def items(self) -> list[tuple[str, ndarray]]:
        """Returns pairs of name and array, read one by one."""
        return [(k, self[k]) for k in self._npz]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the array with the given name.

        Args:
          key: The name.
          default: Result for an unknown name.
        """
        return self[key] if key in self._npz else default

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._npz.close()

    def __repr__(self) -> str:
        return repr(self._npz)


load = _reader(_numpy.load)
loadtxt: Callable[..., ndarray] = _reader(_numpy.loadtxt)
genfromtxt: Callable[..., ndarray] = _reader(_numpy.genfromtxt)
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
    if not (_C._is_array(buffer) and _C._is_array(found)):
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
            if _recording.recording(item):
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


save = _writer(_numpy.save)
savez = _writer(_numpy.savez)
savez_compressed = _writer(_numpy.savez_compressed)
savetxt = _writer(_numpy.savetxt)


def _tobytes(self: ndarray, /, order: Any = "C") -> bytes:
    """Returns the elements as bytes.

    Args:
      order: 'C' for row-major, 'F' for column-major order.
    """
    return _C._numpy_view(self).tobytes(order)


def _tofile(self: ndarray, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Writes the elements to a file.

    Args:
      fid: Path or open file.
      sep: Separator of text; an empty one writes bytes.
      format: Format of an element in text.
    """
    return _C._numpy_view(self).tofile(fid, sep, format)


def _dumps(self: ndarray, /) -> bytes:
    """Returns the pickled array as bytes."""
    return pickle.dumps(self)


def _dump(self: ndarray, /, file: Any) -> None:
    """Pickles the array to a file.

    Args:
      file: Path or open file.
    """
    if isinstance(file, io.IOBase) or hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=2)


_ARRAY_METHODS = {"tobytes": _tobytes, "tofile": _tofile, "dumps": _dumps, "dump": _dump}
