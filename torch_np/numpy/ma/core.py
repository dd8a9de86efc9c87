"""numpy.ma.core: NumPy's source executed over this namespace (_interop/source.py)."""
import functools
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy

from torch_np import _C
from torch_np.numpy._interop import source as _source
from torch_np.numpy.ma import _class


_wrapped: dict[Any, Any] = {}


class _WithoutTexts(ModuleType):
    """`torch_np.numpy` with functions that have no docstring. numpy.ma.core copies parts of NumPy's
    docstrings, and raises if a docstring lacks them.
    """

    def __getattr__(self, name: str) -> Any:
        value = getattr(sys.modules[_source.PACKAGE], name)
        if isinstance(value, (_C.ufunc, type)) or not isinstance(value, (_C.Function, FunctionType)):
            return value

        @functools.wraps(value)
        def function(*args: Any, **kwargs: Any) -> Any:
            result = value(*args, **kwargs)
            return result.view(_class.Viewed) if type(result) is numpy.ndarray else result
        function.__doc__ = None
        _wrapped[function] = value
        return function


_source.execute(__name__, _WithoutTexts("numpy"))

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...

# NumPy's source calls functions that it has imported by name; only copies of their docstrings need
# the wrappers.
globals().update((k, _wrapped[v]) for k, v in list(globals().items()) if isinstance(v, FunctionType) and v in _wrapped)
_class.adapt(globals())
