"""numpy.ma.core: NumPy's source over this namespace (_source.py)."""
import functools
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

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
