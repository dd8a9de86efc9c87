"""`a.flat`: the elements of an array in row-major order, as a 1-d sequence that can be written to."""
from __future__ import annotations

import inspect
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy._fromnumeric import resize
from torch_np.numpy._multiarray import unravel_index
from torch_np.numpy._stride_tricks_impl import broadcast_arrays

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["broadcast", "flatiter"]


class flatiter:
    """Row-major iterator over an array, with indexing and assignment by flat position.

    Shapes: `base` any; indices give arrays of one axis.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, base: ndarray) -> None:
        self._base, self._next = base, 0

    @property
    def base(self) -> ndarray:
        """The array iterated over."""
        return self._base

    @property
    def index(self) -> int:
        """Current flat index into the array. So many elements were handed out."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """The index of the next element, one number per axis."""
        return tuple(int(i) for i in unravel_index(self._next, self._base.shape)) if self._base.size else ()

    def __len__(self) -> int:
        return self._base.size

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        at = self._next
        if at >= self._base.size:
            raise StopIteration
        self._next = at + 1
        return _C._flat_element(self._base, at)

    def _places(self, key):
        """The flat positions that `key` selects: an int, or an array."""
        size = self._base.size
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError("unsupported iterator index")
            key = key[0] if key else slice(None)
        if isinstance(key, slice):
            return nx.arange(*key.indices(size))
        if hasattr(key, "__index__") and not isinstance(key, bool) and getattr(key, "ndim", 0) == 0:
            at = operator.index(key)
            if not -size <= at < size:
                raise IndexError(f"index {at} is out of bounds for size {size}")
            return at % size
        if isinstance(key, list) and key and all(isinstance(k, bool) for k in key):
            raise IndexError("boolean indices for iterators are not supported")
        return nx.arange(size)[key]

    def _key(self, places):
        return places if self._base.ndim == 1 else unravel_index(places, self._base.shape)

    def __getitem__(self, key: Any) -> ndarray:
        places = self._places(key)
        if isinstance(places, int):
            return _C._flat_element(self._base, places)
        return self._base[self._key(places)] if self._base.ndim else self._base.reshape(1)[places]

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        if not self._base.flags.writeable:  # also where nothing is written
            raise ValueError("underlying array is read-only")
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        places, values = self._places(key), nx.asarray(value)
        if isinstance(places, int):
            if values.ndim:
                raise ValueError("Error setting single item of array.")
            at = []
            for n in reversed(self._base.shape):
                places, i = divmod(places, n)
                at.append(i)
            self._base[tuple(reversed(at))] = value
            return
        if places.size and values.size:  # of no values, none is written
            target = self._base if self._base.ndim else self._base.reshape(1)
            target[places if target.ndim == 1 else self._key(places)] = resize(values, places.shape)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def copy(self, /) -> ndarray:
        """The elements, as a new 1-d array."""
        return self._base.flatten()

    def __array__(self, dtype: Any = None, /, copy: bool | None = None) -> _numpy.ndarray[Any, Any]:
        if self._base.flags.c_contiguous and not copy:
            return self._base.reshape(-1).__array__(dtype)
        found = self._base.flatten().__array__(dtype)
        found.flags.writeable = bool(copy)  # changes would not get into the array
        return found

    def __eq__(self, other: Any) -> ndarray:  # type: ignore[override]
        return self.copy() == (other.copy() if isinstance(other, flatiter) else other)

    def __ne__(self, other: Any) -> ndarray:  # type: ignore[override]
        return self.copy() != (other.copy() if isinstance(other, flatiter) else other)

    def __lt__(self, other: Any) -> ndarray:
        return self.copy() < other

    def __le__(self, other: Any) -> ndarray:
        return self.copy() <= other

    def __gt__(self, other: Any) -> ndarray:
        return self.copy() > other

    def __ge__(self, other: Any) -> ndarray:
        return self.copy() >= other


class _BroadcastIterator(flatiter):
    """Of an array that is broadcast: its `base` is that array."""

    def __init__(self, array: ndarray, base: ndarray) -> None:
        super().__init__(array)
        self._of = base

    @property
    def base(self) -> ndarray:
        """The array that is broadcast."""
        return self._of


class broadcast:
    """Several arrays broadcast together: their common shape, and iteration over tuples of elements.

    Shapes: they broadcast.
    Errors: ValueError for shapes that do not, and for more than 64 arrays.
    """

    __signature__ = inspect.Signature([inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL)])

    def __init__(self, *arrays: Any, **nothing: Any) -> None:
        if nothing:
            raise ValueError("broadcast() takes no keyword arguments")
        self._given: list[Any] = []
        for array in arrays:
            self._given += array._given if isinstance(array, broadcast) else [nx.asanyarray(array)]
        if len(self._given) > 64:
            raise ValueError("Need at most 64 array objects.")
        self._arrays = broadcast_arrays(*self._given)
        self.shape = self._arrays[0].shape if self._arrays else ()
        self.index = 0

    @property
    def ndim(self) -> int:
        """The number of axes of the common shape."""
        return len(self.shape)

    nd = ndim

    @property
    def numiter(self) -> int:
        """How many arrays there are."""
        return len(self._arrays)

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """An iterator over the elements of each array as it is broadcast."""
        return tuple(_BroadcastIterator(a, base) for a, base in zip(self._arrays, self._given))

    @property
    def size(self) -> int:
        """The number of elements of the common shape."""
        return math.prod(self.shape)

    def reset(self, /) -> None:
        """Starts again at the first element."""
        self.index = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self.index >= self.size:
            raise StopIteration
        place = unravel_index(self.index, self.shape)
        self.index += 1
        return tuple(a[tuple(place)] for a in self._arrays)
