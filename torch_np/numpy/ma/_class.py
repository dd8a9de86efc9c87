"""What NumPy's `MaskedArray` takes for granted of arrays and scalars, and ours do otherwise."""
import functools
import inspect
import sys
from typing import Any

import numpy

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange, subclasses as _subclasses


class Viewed(numpy.ndarray):
    """An array of NumPy's that a view as our masked array makes one of NumPy's."""

    def view(self, *args: Any, **kwargs: Any) -> Any:
        if args and _C.ndarray in getattr(args[0], "__mro__", ()):
            args = (numpy.ma.MaskedArray, *args[1:])
        return super().view(numpy.ndarray).view(*args, **kwargs)


def adapt(cls: Any) -> None:
    """Makes of NumPy's class, executed over this namespace, one of arrays of ours."""
    for name in ("all", "any", "max", "min", "var"):
        setattr(cls, name, _of_all_elements(getattr(cls, name)))
    cls.take = _taking_one(cls.take)
    cls.__array_interface__ = _array_interface(cls)
    cls.__new__ = _making_what_numpy_holds(cls, cls.__new__)
    cls.__getstate__, cls.__setstate__ = _getstate, _setstate
    _subclasses.override_functions(cls)
    _subclasses.override_ufuncs(cls)
    cls.register(numpy.ma.MaskedArray)


def _array_interface(cls):
    """`__array_finalize__` finds out by the addresses of two arrays whether they are one. Of arrays on a GPU it may know them, nobody
    else: they are no addresses in the host's memory."""
    finalize = cls.__array_finalize__.__code__

    def interface(self: Any) -> Any:
        if sys._getframe(1).f_code is finalize:
            return {"data": (self._torch().data_ptr(), False)}
        return _C.ndarray.__array_interface__.__get__(self)
    return property(interface)


def _of_all_elements(original):
    """`all`, `any`, `max`, `min` and `var` view what they get as masked arrays, which NumPy's scalars are not: of all elements they keep the
    axes, and give the one element."""
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
    """Of data that the engine does not hold (text, records, objects) NumPy's own masked arrays are made."""
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
    """For pickles: the state of the data, the mask, the value to fill in."""
    return _C.ndarray.__reduce__(self.view(_C.ndarray))[2], self._mask, self._fill_value


def _setstate(self: Any, state: Any) -> None:
    data, self._mask, fill_value = state
    _C.ndarray.__setstate__(self, data)
    self.fill_value = fill_value
