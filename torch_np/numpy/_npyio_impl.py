"""Files and text: NumPy's readers and writers; the arrays are ours, over the memory that was read."""
from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, KeysView
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy import _recording
from torch_np.numpy._interop import exchange as _exchange
from torch_np.numpy._dtypes import as_numpy_dtype, bfloat16, kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import NumPyDTypeLike

__all__ = ["NpzFile", "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
           "savez_compressed"]


def _ours(value):
    if not isinstance(value, _numpy.ndarray):
        return value
    # NumPy's files name bfloat16 a void of two bytes, which no other array of ours can have been.
    value = value.view(bfloat16) if value.dtype == _numpy.dtype("V2") else value
    # What the engine does not hold stays as it was read: the file cannot be read again.
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
    """`function` of NumPy, whose result becomes ours."""
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
    """The arrays of an `.npz` file by name, read when asked for. A context manager; `close()` closes the file.

    Errors: KeyError for a name that is not there.
    """

    files: list[str]
    close: Callable[[], None]

    def __init__(self, npz: Any) -> None:
        self._npz = npz

    def __getitem__(self, key: str) -> ndarray:
        return _ours(self._npz[key])

    if not TYPE_CHECKING:  # to type checkers every name would seem right
        def __getattr__(self, name: str) -> Any:
            return getattr(self._npz, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._npz)

    def __len__(self) -> int:
        return len(self._npz)

    def __contains__(self, key: object) -> bool:
        return key in self._npz

    def keys(self) -> KeysView[str]:
        """The names of the arrays."""
        return self._npz.keys()

    def values(self) -> list[ndarray]:
        """The arrays, read one by one."""
        return [self[k] for k in self._npz]

    def items(self) -> list[tuple[str, ndarray]]:
        """Pairs of name and array, read one by one."""
        return [(k, self[k]) for k in self._npz]

    def get(self, key: str, default: Any = None) -> Any:
        """The array of that name, or `default`."""
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
    """A 1-d array over the memory of `buffer`, from the byte `offset` on; `count` elements, -1: all.

    Shapes: (count,).
    Errors: ValueError if it is too small.
    """
    found = _frombuffer(buffer, float if dtype is None else dtype, count, offset)
    if not (_C._is_array(buffer) and _C._is_array(found)):
        return found
    return nx.asarray(buffer).reshape(-1).view(_numpy.uint8)[offset:offset + found.nbytes].view(found.dtype)  # of which `base` is ours


_fromstring = _reader(_numpy.fromstring)
def fromstring(string: str | bytes, dtype: NumPyDTypeLike = float, count: int = -1, sep: str = "", *, like: Any = None) -> ndarray:
    """A 1-d array of the numbers in a text, which `sep` separates; `count` of them at most, -1: all.

    Shapes: (number of them,).
    Errors: ValueError without `sep`.
    """
    return _fromstring(string, dtype, count, sep=sep)


_fromiter = _reader(_numpy.fromiter)
def fromiter(iter: Iterable[Any], dtype: NumPyDTypeLike, count: int = -1, *, like: Any = None) -> ndarray:
    """A 1-d array of what the iterator gives; `count` items at most, -1: all. Gradients flow to items that are 0-d arrays.

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
                item.item()  # which raises: NumPy's own error says nothing
            if _C._is_array(item) and item.ndim == 0 and isinstance(number := item.item(), complex):
                yield _numpy.complex128(number)  # of which a real dtype takes the real part, with a warning; of other objects it does not
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
    """The elements as bytes, in row-major (`C`) or column-major (`F`) order."""
    return _C._numpy_view(self).tobytes(order)


def _tofile(self: ndarray, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Writes the elements to the file `fid`, as bytes or, with `sep`, as text."""
    return _C._numpy_view(self).tofile(fid, sep, format)


def _dumps(self: ndarray, /) -> bytes:
    """The array pickled, as bytes."""
    return pickle.dumps(self)


def _dump(self: ndarray, /, file: Any) -> None:
    """Pickles the array into `file`, a path or an open file."""
    if isinstance(file, io.IOBase) or hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=2)


_ARRAY_METHODS = {"tobytes": _tobytes, "tofile": _tofile, "dumps": _dumps, "dump": _dump}
