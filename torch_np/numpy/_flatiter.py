"""`a.flat`: a writable 1-d sequence of an array's elements in row-major order."""
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
from torch_np.numpy._stride_tricks_impl import broadcast_arrays, common_shape

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["broadcast", "flatiter"]


class flatiter:
    """Row-major iterator over an array, with indexing and assignment by flat position.

    Args:
      base: The array.

    Shapes: `base` any; indexing gives arrays with one axis.
    """

    __slots__ = ("_base", "_next")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, base: ndarray) -> None:
        self._base = base
        self._next = 0

    @property
    def base(self) -> ndarray:
        """The array iterated over."""
        return self._base

    @property
    def index(self) -> int:
        """Current flat index into the array.

        It is the index of the next element, which is the number of elements returned so far."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """Index of the next element, one number for each axis."""
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
        """Returns the flat positions that `key` selects: an int, or an array."""
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

    def _line(self):
        """Returns a 1-d view of all elements in row-major order; None if the memory does not allow one."""
        base = self._base
        if base.ndim == 1:
            return base
        return base.reshape(-1) if base.flags.c_contiguous else None

    def _key(self, places):
        return places if self._base.ndim == 1 else unravel_index(places, self._base.shape)

    def __getitem__(self, key: Any) -> ndarray:
        if type(key) is int or type(key) is slice and type(self._base) is _C.ndarray:
            return _C._flat_element(self._base, key)
        if type(key) is slice and (line := self._line()) is not None:
            return line[key].copy()
        places = self._places(key)
        if isinstance(places, int):
            return _C._flat_element(self._base, places)
        return self._base[self._key(places)] if self._base.ndim else self._base.reshape(1)[places]

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        if not self._base.flags.writeable:  # raised also if nothing would be written
            raise ValueError("underlying array is read-only")
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        values = nx.asarray(value)
        if type(key) is slice and (line := self._line()) is not None:
            if values.size:  # without values, nothing is written
                part = line[key]
                part[...] = values if values.ndim == 0 else resize(values, part.shape)
            return
        places = self._places(key)
        if isinstance(places, int):
            if values.ndim:
                raise ValueError("Error setting single item of array.")
            at = []
            for n in reversed(self._base.shape):
                places, i = divmod(places, n)
                at.append(i)
            self._base[tuple(reversed(at))] = value
            return
        if places.size and values.size:  # without values, nothing is written
            target = self._base if self._base.ndim else self._base.reshape(1)
            target[places if target.ndim == 1 else self._key(places)] = resize(values, places.shape)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def copy(self, /) -> ndarray:
        """Returns the elements as a new 1-d array."""
        return self._base.flatten()

    def __array__(self, dtype: Any = None, /, copy: bool | None = None) -> _numpy.ndarray[Any, Any]:
        if self._base.flags.c_contiguous and not copy:
            return self._base.reshape(-1).__array__(dtype)
        found = self._base.flatten().__array__(dtype)
        found.flags.writeable = bool(copy)  # writes would not reach the array
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
    """Iterator over an array after broadcasting; its `base` is the original array."""

    def __init__(self, array: ndarray, base: ndarray) -> None:
        super().__init__(array)
        self._of = base

    @property
    def base(self) -> ndarray:
        """The original array."""
        return self._of


class broadcast:
    """Arrays broadcast together: their common shape, and iteration over tuples of elements.

    Args:
      arrays: Arrays, up to 64.

    Shapes: the arrays broadcast.
    Errors: ValueError for shapes that do not broadcast, and for more than 64 arrays.
    """

    __signature__ = inspect.Signature([inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL)])

    def __init__(self, *arrays: Any, **nothing: Any) -> None:
        if nothing:
            raise ValueError("broadcast() takes no keyword arguments")
        self._given: list[Any] = []
        for array in arrays:
            if isinstance(array, broadcast):
                self._given += array._given
            else:
                self._given.append(array if type(array) is _C.ndarray else nx.asanyarray(array))
        if len(self._given) > 64:
            raise ValueError("Need at most 64 array objects.")
        self.shape = common_shape(self._given)
        self.size = math.prod(self.shape)
        self.index = 0
        self._views: tuple[ndarray, ...] | None = None

    @property
    def _arrays(self):
        if self._views is None:
            self._views = broadcast_arrays(*self._given)
        return self._views

    @property
    def ndim(self) -> int:
        """Number of axes of the common shape."""
        return len(self.shape)

    nd = ndim

    @property
    def numiter(self) -> int:
        """Number of arrays."""
        return len(self._given)

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """Iterators over the elements of each array after broadcasting."""
        return tuple(_BroadcastIterator(a, base) for a, base in zip(self._arrays, self._given))

    def reset(self, /) -> None:
        """Resets the iteration to the first element."""
        self.index = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        at = self.index
        if at >= self.size:
            raise StopIteration
        self.index = at + 1
        return tuple([_C._flat_element(a, at) if _C._is_ndarray(a) else a.flat[at] for a in self._views or self._arrays])
