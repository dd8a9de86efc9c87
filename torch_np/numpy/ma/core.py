"""numpy.ma.core: NumPy's source over this namespace (_source.py)."""
import functools
import inspect
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy

from torch_np import _C
from torch_np.numpy import _source


class _WithoutTexts(ModuleType):
    """`torch_np.numpy`, whose functions have no docstring: those of this module copy parts of NumPy's, and insist on finding them."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(sys.modules[_source.PACKAGE], name)
        if isinstance(value, (_C.ufunc, type)) or not isinstance(value, (_C.Function, FunctionType)):
            return value

        @functools.wraps(value)
        def function(*args: Any, **kwargs: Any) -> Any:
            return value(*args, **kwargs)
        function.__doc__ = None
        return function


_source.execute(__name__, _WithoutTexts("numpy"))

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...

# `__array_finalize__` finds out by the addresses of two arrays whether they are one. Of arrays on a GPU it may know them, nobody else:
# they are no addresses in the host's memory.
_finalize = globals()["MaskedArray"].__array_finalize__.__code__


def _array_interface(self: Any) -> Any:
    if sys._getframe(1).f_code is _finalize:
        return {"data": (self._torch().data_ptr(), False)}
    return _C.ndarray.__array_interface__.__get__(self)


globals()["MaskedArray"].__array_interface__ = property(_array_interface)

_NAMED = ("__module__", "__name__", "__qualname__", "__doc__")


def _of_all_elements(name: str) -> None:
    """`max`, `min` and `var` view what they get as masked arrays, which NumPy's scalars are not: of all elements they keep the axes, and
    give the one element."""
    original = getattr(globals()["MaskedArray"], name)

    signature = inspect.signature(original)

    @functools.wraps(original, assigned=_NAMED)
    def method(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        self, axis = given.pop("self"), given.pop("axis", None)
        kwargs = given.pop("kwargs", {}) | given
        kept = kwargs.get("keepdims", numpy._NoValue)
        if self.ndim == 0 or not (axis is None or self.ndim == 1) or kwargs.get("out") is not None or kept not in (False, numpy._NoValue):
            return original(self, axis, **kwargs)
        return original(self, axis, **{**kwargs, "keepdims": True}).reshape(())[()]
    setattr(globals()["MaskedArray"], name, method)


for _name in ("max", "min", "var"):
    _of_all_elements(_name)


def _take(self: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if out is None and numpy.ndim(indices) == 0 and (axis is None or self.ndim == 1):
        return _take_of_several(self, [indices], axis, mode=mode).reshape(())
    return _take_of_several(self, indices, axis, out, mode)


_take_of_several = globals()["MaskedArray"].take
globals()["MaskedArray"].take = functools.wraps(_take_of_several, assigned=_NAMED)(_take)
