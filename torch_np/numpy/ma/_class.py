"""Adapts NumPy's `MaskedArray`, executed over this namespace, where this package's arrays and
scalars differ from NumPy's.
"""
import functools
from typing import Any

import numpy

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange, subclasses as _subclasses
from torch_np.numpy.ma import _operations


class Viewed(numpy.ndarray):
    """A NumPy array whose view as this package's masked array is NumPy's masked array."""

    def view(self, *args: Any, **kwargs: Any) -> Any:
        if args and _C.ndarray in getattr(args[0], "__mro__", ()):
            args = (numpy.ma.MaskedArray, *args[1:])
        return super().view(numpy.ndarray).view(*args, **kwargs)


def adapt(core: dict[str, Any]) -> None:
    """Turns NumPy's class, executed over this namespace, into a class of this package's arrays.
    `core` is the namespace of numpy.ma.core.
    """
    cls = core["MaskedArray"]
    cls.take = _taking_one(cls.take)
    _operations.install(core, cls)
    cls.__new__ = _making_what_numpy_holds(cls, cls.__new__)
    cls.__getstate__, cls.__setstate__ = _getstate, _setstate
    _C._set_masked_arrays(cls, core["nomask"], core["masked"], core["_check_fill_value"])
    _subclasses.override_functions(cls)
    _subclasses.override_ufuncs(cls)
    cls.register(numpy.ma.MaskedArray)


def _taking_one(original):
    @functools.wraps(original)
    def take(self: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
        if out is None and numpy.ndim(indices) == 0 and (axis is None or self.ndim == 1):
            return original(self, [indices], axis, mode=mode).reshape(())
        return original(self, indices, axis, out, mode)
    return take


def _making_what_numpy_holds(masked, original):
    """Makes NumPy's own masked arrays from data that the engine does not hold (text, records,
    objects).
    """
    @functools.wraps(original)
    def new(cls: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(cls, data, *args, **kwargs)
        except TypeError:
            dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
            if cls is not masked or _C._is_ndarray(data) and dtype is None:
                raise
            theirs = numpy.ma.MaskedArray(*_exchange.to_numpy((data, *args), "MaskedArray"), **_exchange.to_numpy(kwargs, "MaskedArray"))
            if _exchange.holds(theirs.dtype):
                raise
            return theirs
    return new


def _getstate(self: Any) -> Any:
    """Returns the state for pickles: that of the data, the mask, and the fill value."""
    return _C.ndarray.__reduce__(self.view(_C.ndarray))[2], self._mask, self._fill_value


def _setstate(self: Any, state: Any) -> None:
    data, self._mask, fill_value = state
    _C.ndarray.__setstate__(self, data)
    self.fill_value = fill_value
