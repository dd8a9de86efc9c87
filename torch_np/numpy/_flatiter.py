"""`a.flat`: the elements of an array in row-major order, as a 1-d sequence that can be written to."""
from torch_np.numpy import _native as nx


class flatiter:
    """Row-major iterator over an array, with indexing and assignment by flat position."""

    __hash__ = None

    def __init__(self, base):
        self._base, self._next = base, 0

    @property
    def base(self):
        """The array iterated over."""
        return self._base

    @property
    def index(self):
        """How many elements were handed out."""
        return self._next

    @property
    def coords(self):
        """The index of the next element, one number per axis."""
        return tuple(int(i) for i in nx.unravel_index(self._next, self._base.shape)) if self._base.size else ()

    def __len__(self):
        return self._base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= self._base.size:
            raise StopIteration
        value = self._base.ravel()[self._next] if not self._base.flags.c_contiguous else self._base.reshape(-1)[self._next]
        self._next += 1
        return value.copy()

    def _positions(self, key):
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        return nx.arange(self._base.size)[key]

    def __getitem__(self, key):
        if isinstance(key, tuple) and len(key) > 1:
            raise IndexError("unsupported iterator index")
        return self._base.flatten()[key]

    def __setitem__(self, key, value):
        base = self._base
        if base.flags.c_contiguous:
            flat = base.reshape(-1)
            places = flat[key]
            if getattr(places, "ndim", 0) == 0:
                values = nx.asarray(value)
                flat[key] = values.ravel()[0] if values.ndim else value
            else:
                flat[key] = nx.resize(nx.asarray(value), places.shape)
            return
        places = self._positions(key)
        values = nx.resize(nx.asarray(value), places.shape) if places.ndim else nx.asarray(value).ravel()[0]
        base[nx.unravel_index(places, base.shape)] = values

    def copy(self):
        """The elements, as a new 1-d array."""
        return self._base.flatten()

    def __array__(self, dtype=None, copy=None):
        return self._base.flatten().__array__(dtype)

    def __eq__(self, other):
        return self.copy() == (other.copy() if isinstance(other, flatiter) else other)

    def __ne__(self, other):
        return self.copy() != (other.copy() if isinstance(other, flatiter) else other)

    def __lt__(self, other):
        return self.copy() < other

    def __le__(self, other):
        return self.copy() <= other

    def __gt__(self, other):
        return self.copy() > other

    def __ge__(self, other):
        return self.copy() >= other


class broadcast:
    """Several arrays broadcast together: their common shape, and iteration over tuples of elements."""

    def __init__(self, *args):
        if len(args) > 64:
            raise ValueError("Need at most 64 array objects.")
        self._arrays = nx.broadcast_arrays(*args)
        self.shape = self._arrays[0].shape if args else ()
        self.index = 0

    nd = ndim = property(lambda self: len(self.shape))
    numiter = property(lambda self: len(self._arrays))
    iters = property(lambda self: tuple(flatiter(a) for a in self._arrays))

    @property
    def size(self):
        """The number of elements of the common shape."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def reset(self):
        """Starts again at the first element."""
        self.index = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.size:
            raise StopIteration
        place = nx.unravel_index(self.index, self.shape)
        self.index += 1
        return tuple(a[tuple(place)] for a in self._arrays)
