"""NumPy's multi-dimensional iterator, over views of this package's arrays, so that writes to
elements reach the arrays.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange

if TYPE_CHECKING:
    from torch_np._C import ndarray

__all__ = ["nditer", "nested_iters"]


def _views_of(op, who):
    """Returns NumPy views of the arrays in an operand, or in a list of operands."""
    if type(op) is _C.ndarray and _C._are_plain(op):
        return _C._numpy_view(op)
    if type(op) in (list, tuple):
        views = []
        for x in op:
            if x is not None and not (type(x) is _C.ndarray and _C._are_plain(x)):
                break
            views.append(None if x is None else _C._numpy_view(x))
        else:
            return views
    return _exchange.to_numpy(op, who)


# The elements of a step of NumPy's iterator, an array or a tuple of them, as arrays of this package.
_held, _ours = _C._held, _C._held_items


def _sequence(operands):
    return operands if isinstance(operands, (list, tuple)) else (operands,)


class nditer:
    """Iterator over one or several arrays with broadcasting; see `numpy.nditer` for the flags. Its
    elements are arrays of this package.

    Args:
      op: Array, or sequence of arrays.
      flags: Flags of the iterator.
      op_flags: Flags of each array.
      op_dtypes: Dtype of each array.
      order: Order of iteration: 'C', 'F', 'A' or 'K'.
      casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
      op_axes: Axes of each array for the axes of the iterator.
      itershape: Shape of the iterator.
      buffersize: Size of the buffer; 0 is the default.

    Shapes: the arrays broadcast; each element is 0-d, or 1-d with the flag 'external_loop'.
    Errors: TypeError for an array that requires a gradient, as its writes could not be tracked, and
    for one that is not on the CPU.
    """

    __slots__ = ("_iterator", "_operands")
    __module__ = "torch_np.numpy"
    _iterator: _numpy.nditer
    _operands: tuple[Any, Any]  # as given, and their views

    def __init__(self, op: Any, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
                 casting: Any = "safe", op_axes: Any = None, itershape: Any = None, buffersize: Any = 0) -> None:
        views = _views_of(op, "nditer")
        dtypes = None if op_dtypes is None else _exchange.to_numpy(op_dtypes, "nditer")
        _set_iterator(self, _numpy.nditer(views, flags, op_flags, dtypes, order, casting, op_axes, itershape, buffersize))
        _set_operands(self, (op, views))

    def __iter__(self) -> Iterator[Any]:
        return map(_ours, self._iterator)

    def __next__(self) -> Any:
        return _ours(next(self._iterator))

    def __len__(self) -> int:
        return len(self._iterator)

    def __getitem__(self, index: Any) -> Any:
        return _ours(self._iterator[index])

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
        """Returns a copy of the iterator in its present state."""
        other = type(self).__new__(type(self))
        _set_iterator(other, self._iterator.copy())
        _set_operands(other, self._operands)
        return other

    def close(self, /) -> None:
        """Closes the iterator: elements written to temporary copies are written back to the arrays.
        """
        self._iterator.close()

    def debug_print(self, /) -> None:
        """Prints the iterator's state to the standard output."""
        self._iterator.debug_print()

    def enable_external_loop(self, /) -> None:
        """Sets the flag 'external_loop', so that the iterator returns the elements of an inner loop
        together.
        """
        self._iterator.enable_external_loop()

    def iternext(self, /) -> bool:
        """Advances to the next element. Returns whether there is one."""
        return self._iterator.iternext()

    def remove_axis(self, i: int, /) -> None:
        """Removes an axis from the iteration, which has the flag 'multi_index'.

        Args:
          i: The axis.
        """
        self._iterator.remove_axis(i)

    def remove_multi_index(self, /) -> None:
        """Removes the flag 'multi_index', so that axes may be joined."""
        self._iterator.remove_multi_index()

    def reset(self, /) -> None:
        """Resets the iterator to the first element."""
        self._iterator.reset()

    @property
    def value(self) -> Any:
        """The current elements: one array, or a tuple of them."""
        return _ours(self._iterator.value)

    @property
    def operands(self) -> tuple[ndarray, ...]:
        """The arrays iterated over: the given ones, unless copies are used."""
        return tuple([given if x is view else _held(x)
                      for x, given, view in zip(self._iterator.operands, *map(_sequence, self._operands))])

    @property
    def itviews(self) -> tuple[ndarray, ...]:
        """Views of the arrays in the order of iteration."""
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


# `__setattr__` of nditer writes to NumPy's iterator.
_set_iterator, _set_operands = nditer.__dict__["_iterator"].__set__, nditer.__dict__["_operands"].__set__


def nested_iters(op: Any, axes: Any, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
                 casting: Any = "safe", buffersize: Any = 0) -> tuple[nditer, ...]:
    """Returns iterators for nested loops, the outermost first.

    Args:
      op: Array, or sequence of arrays.
      axes: Axes of each loop.
      flags: Flags of the iterators.
      op_flags: Flags of each array.
      op_dtypes: Dtype of each array.
      order: Order of iteration: 'C', 'F', 'A' or 'K'.
      casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
      buffersize: Size of the buffer; 0 is the default.

    Shapes: the arrays broadcast.
    Errors: TypeError for an array that requires a gradient, and for one that is not on the CPU.
    """
    views = _views_of(op, "nested_iters")
    iterators = []
    dtypes = None if op_dtypes is None else _exchange.to_numpy(op_dtypes, "nested_iters")
    for theirs in _numpy.nested_iters(views, axes, flags, op_flags, dtypes, order, casting, buffersize):
        iterator = nditer.__new__(nditer)
        _set_iterator(iterator, theirs)
        _set_operands(iterator, (op, views))
        iterators.append(iterator)
    return tuple(iterators)
