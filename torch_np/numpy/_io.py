"""Files and text: NumPy's readers and writers; the arrays are ours, over the memory that was read."""
import functools
import inspect
import io
import pickle

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy import _recording


def _ours(value):
    return nx.asarray(value) if isinstance(value, _numpy.ndarray) else value


def _theirs(value):
    if isinstance(value, (_C.ndarray, _C.Tensor)):
        return _C._numpy_view(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_theirs(v) for v in value) if type(value) in (list, tuple) else value
    return value


def _copy_signature(wrapper, function):
    """The signature that `inspect` shows for `function`, where it has one (some built-ins have none)."""
    del wrapper.__wrapped__
    try:
        wrapper.__signature__ = inspect.signature(function)
    except ValueError:
        pass


def _reader(function):
    """`function` of NumPy, whose result becomes ours."""
    @functools.wraps(function)
    def read(*args, **kwargs):
        kwargs.pop("like", None)
        if _recording.recording(*args, *kwargs.values()):
            raise NotImplementedError(f"{function.__name__}(): bytes carry no gradient, so there is no derivative; detach the array")
        found = function(*map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
        if isinstance(found, _numpy.lib.npyio.NpzFile):
            return NpzFile(found)
        if isinstance(found, (tuple, list)):
            return type(found)(_ours(v) for v in found)
        return _ours(found)
    _copy_signature(read, function)
    read.__module__ = "torch_np.numpy"
    return read


def _writer(function):
    @functools.wraps(function)
    def write(*args, **kwargs):
        return function(*map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
    _copy_signature(write, function)
    write.__module__ = "torch_np.numpy"
    return write


class NpzFile:
    """The arrays of an `.npz` file by name, read when asked for. A context manager; `close()` closes the file."""

    def __init__(self, npz):
        self._npz = npz

    def __getitem__(self, key):
        return _ours(self._npz[key])

    def __getattr__(self, name):
        return getattr(self._npz, name)

    def __iter__(self):
        return iter(self._npz)

    def __len__(self):
        return len(self._npz)

    def __contains__(self, key):
        return key in self._npz

    def keys(self):
        return self._npz.keys()

    def values(self):
        return [self[k] for k in self._npz]

    def items(self):
        return [(k, self[k]) for k in self._npz]

    def get(self, key, default=None):
        return self[key] if key in self._npz else default

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._npz.close()

    def __repr__(self):
        return repr(self._npz)


load = _reader(_numpy.load)
loadtxt = _reader(_numpy.loadtxt)
genfromtxt = _reader(_numpy.genfromtxt)
fromfile = _reader(_numpy.fromfile)
fromstring = _reader(_numpy.fromstring)
frombuffer = _reader(_numpy.frombuffer)
_fromiter = _reader(_numpy.fromiter)
def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-d array of what the iterator gives; `count` items at most, -1: all. Gradients flow to items that are 0-d arrays.

    Errors: ValueError if there are fewer than `count` items.
    """
    places, recorded = [], []

    def items():
        for i, item in enumerate(iter):
            if _recording.recording(item):
                places.append(i)
                recorded.append(item)
            yield item
    result = _fromiter(items(), dtype, count)
    if recorded and result.dtype.kind in "fc":
        result[places] = nx.stack([nx.asarray(item).reshape(()) for item in recorded])
    return result


save = _writer(_numpy.save)
savez = _writer(_numpy.savez)
savez_compressed = _writer(_numpy.savez_compressed)
savetxt = _writer(_numpy.savetxt)


def _tobytes(self, order="C"):
    """The elements as bytes, in row-major (`C`) or column-major (`F`) order."""
    return _C._numpy_view(self).tobytes(order)


def _tofile(self, fid, sep="", format="%s"):
    """Writes the elements to the file `fid`, as bytes or, with `sep`, as text."""
    return _C._numpy_view(self).tofile(fid, sep, format)


def _dumps(self):
    """The array pickled, as bytes."""
    return pickle.dumps(self)


def _dump(self, file):
    """Pickles the array into `file`, a path or an open file."""
    if isinstance(file, io.IOBase) or hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=2)


_ARRAY_METHODS = {"tobytes": _tobytes, "tofile": _tofile, "dumps": _dumps, "dump": _dump}
