"""NumPy's multi-dimensional iterator: it walks over views of our arrays' memory, so that what is written into its elements is
written into ours."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np.numpy._interop import exchange as _exchange

if TYPE_CHECKING:
    from torch_np._C import ndarray

__all__ = ["nditer", "nested_iters"]


class nditer:
    """NumPy's iterator over one array or several in step; see `numpy.nditer` for the flags. What it gives are arrays of ours.

    Shapes: they broadcast; at each place, 0-d arrays, or of one axis with the flag 'external_loop'.
    Errors: TypeError for an array with a gradient, whose elements could change unseen, and for one on a device.
    """

    __slots__ = ("_iterator", "_given", "_views")
    __module__ = "torch_np.numpy"
    _iterator: _numpy.nditer
    _given: Sequence[Any]
    _views: Sequence[Any]

    def __init__(self, op: Any, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
                 casting: Any = "safe", op_axes: Any = None, itershape: Any = None, buffersize: Any = 0) -> None:
        views = _exchange.to_numpy(op, "nditer")
        self._set(_numpy.nditer(views, flags, op_flags, _exchange.to_numpy(op_dtypes, "nditer"), order, casting, op_axes, itershape,
                                buffersize), op, views)

    def _set(self, iterator, given, views):
        object.__setattr__(self, "_iterator", iterator)
        object.__setattr__(self, "_given", given if isinstance(given, (list, tuple)) else (given,))
        object.__setattr__(self, "_views", views if isinstance(views, (list, tuple)) else (views,))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return _exchange.from_numpy(next(self._iterator))

    def __len__(self) -> int:
        return len(self._iterator)

    def __getitem__(self, index: Any) -> Any:
        return _exchange.from_numpy(self._iterator[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._iterator[index] = _exchange.to_numpy(value, "nditer")

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def __enter__(self) -> Self:
        self._iterator.__enter__()
        return self

    def __exit__(self, *exception: Any) -> Any:
        return self._iterator.__exit__(*exception)

    def __copy__(self) -> Self:
        return self.copy()

    def copy(self, /) -> Self:
        """The iterator in its present state, once more."""
        other = type(self).__new__(type(self))
        other._set(self._iterator.copy(), self._given, self._views)
        return other

    def close(self, /) -> None:
        """Ends the iteration: what was written into copies is written into the arrays."""
        self._iterator.close()

    def debug_print(self, /) -> None:
        """Writes the iterator's state to the standard output."""
        self._iterator.debug_print()

    def enable_external_loop(self, /) -> None:
        """From now on gives the elements of an inner loop together, as if the flag 'external_loop' had been given."""
        self._iterator.enable_external_loop()

    def iternext(self, /) -> bool:
        """Goes on to the next place; whether there is one."""
        return self._iterator.iternext()

    def remove_axis(self, i: int, /) -> None:
        """Takes the axis `i` out of the iteration, which has the flag 'multi_index'."""
        self._iterator.remove_axis(i)

    def remove_multi_index(self, /) -> None:
        """Ends the bookkeeping of 'multi_index', so that axes may be joined."""
        self._iterator.remove_multi_index()

    def reset(self, /) -> None:
        """Goes back to the first place."""
        self._iterator.reset()

    @property
    def value(self) -> Any:
        """The elements at the present place: one array, or a tuple of them."""
        return _exchange.from_numpy(self._iterator.value)

    @property
    def operands(self) -> tuple[ndarray, ...]:
        """The arrays that are walked over: those that were given, where they are walked over themselves."""
        return tuple(given if x is view else _exchange.from_numpy(x)
                     for x, given, view in zip(self._iterator.operands, self._given, self._views))

    @property
    def itviews(self) -> tuple[ndarray, ...]:
        """Views of the arrays in the order of the iteration."""
        return _exchange.from_numpy(self._iterator.itviews)

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            return getattr(self._iterator, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._iterator, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._iterator, name)

    def __dir__(self) -> list[str]:
        return dir(self._iterator)


def nested_iters(op: Any, axes: Any, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
                 casting: Any = "safe", buffersize: Any = 0) -> tuple[nditer, ...]:
    """Iterators for nested loops, the outermost first, each over its own `axes` of `op`.

    Shapes: they broadcast.
    Errors: those of `nditer`.
    """
    views = _exchange.to_numpy(op, "nested_iters")
    iterators = []
    for theirs in _numpy.nested_iters(views, axes, flags, op_flags, _exchange.to_numpy(op_dtypes, "nested_iters"), order, casting,
                                      buffersize):
        iterator = nditer.__new__(nditer)
        iterator._set(theirs, op, views)
        iterators.append(iterator)
    return tuple(iterators)
