"""Adapts NumPy's `MaskedArray`, executed over this namespace, where this package's arrays and
scalars differ from NumPy's.
"""
import functools
import inspect
import threading
from typing import Any

import numpy

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange, subclasses as _subclasses


class Viewed(numpy.ndarray):
    """A NumPy array whose view as this package's masked array is NumPy's masked array."""

    def view(self, *args: Any, **kwargs: Any) -> Any:
        if args and _C.ndarray in getattr(args[0], "__mro__", ()):
            args = (numpy.ma.MaskedArray, *args[1:])
        return super().view(numpy.ndarray).view(*args, **kwargs)


def adapt(cls: Any) -> None:
    """Turns NumPy's class, executed over this namespace, into a class of this package's arrays."""
    for name in ("all", "any", "max", "min", "var"):
        setattr(cls, name, _of_all_elements(getattr(cls, name)))
    cls.take = _taking_one(cls.take)
    cls.__array_interface__ = property(_array_interface)
    cls.__array_finalize__ = _comparing_addresses(cls.__array_finalize__)
    cls.__new__ = _making_what_numpy_holds(cls, cls.__new__)
    cls.__getstate__, cls.__setstate__ = _getstate, _setstate
    _subclasses.override_functions(cls)
    _subclasses.override_ufuncs(cls)
    cls.register(numpy.ma.MaskedArray)


class _Thread(threading.local):
    compares_addresses = False


_thread = _Thread()


def _comparing_addresses(original):
    """Wraps `__array_finalize__`, which compares addresses to find out if two arrays are the same.
    It also needs the addresses of arrays on a GPU.
    """
    @functools.wraps(original)
    def finalize(self: Any, obj: Any) -> None:
        before, _thread.compares_addresses = _thread.compares_addresses, True
        try:
            original(self, obj)
        finally:
            _thread.compares_addresses = before
    return finalize


def _array_interface(self: Any) -> Any:
    """Returns the `__array_interface__`. Only `__array_finalize__` gets that of an array on a GPU,
    whose address is not in host memory.
    """
    if _thread.compares_addresses and not self._torch().is_cpu:
        return {"data": (self._torch().data_ptr(), False)}
    return _C.ndarray.__array_interface__.__get__(self)


def _of_all_elements(original):
    """Wraps `all`, `any`, `max`, `min` and `var`, which view results as masked arrays; NumPy
    scalars cannot be viewed so. A full reduction keeps the axes, and returns the single element.
    """
    signature = inspect.signature(original)

    @functools.wraps(original)
    def method(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        self, axis = given.pop("self"), given.pop("axis", None)
        kwargs = given.pop("kwargs", {}) | given
        kept = kwargs.get("keepdims", numpy._NoValue)
        if self.ndim == 0 or not (axis is None or self.ndim == 1) or kwargs.get("out") is not None or kept not in (False, numpy._NoValue):
            return original(self, axis, **kwargs)
        return original(self, axis, **{**kwargs, "keepdims": True}).reshape(())[()]
    return method


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
