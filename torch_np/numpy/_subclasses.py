"""How NumPy's functions and ufuncs treat its own subclasses of ndarray, for those classes executed over this namespace.

NumPy's functions in Python call methods of their argument, which `matrix` and `MaskedArray` override: `sum(masked)` is `masked.sum()`.
Our functions of the same names are other code, and would go by the plain elements. So for these classes NumPy's source is executed
(_source.py), by way of the protocols that a subclass overrides functions with.
"""
from __future__ import annotations

import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy import _private

_MODULES = {
    "": ["_core.fromnumeric", "_core.shape_base", "_core.function_base", "lib._function_base_impl", "lib._shape_base_impl",
         "lib._twodim_base_impl", "lib._type_check_impl", "lib._ufunclike_impl", "lib._nanfunctions_impl", "lib._arraysetops_impl",
         "lib._arraypad_impl", "lib._stride_tricks_impl", "lib._histograms_impl", "lib._polynomial_impl", "lib._index_tricks_impl"],
    "linalg": ["linalg._linalg"],
}

_active = threading.local()


def override_functions(cls: Any) -> None:
    """Gives `cls` NumPy's way with functions: __array_function__."""
    cls.__array_function__ = _array_function


def override_ufuncs(cls: Any) -> None:
    """Gives `cls` NumPy's way with the class of ufuncs' results, by __array_wrap__: __array_ufunc__."""
    cls.__array_ufunc__ = _array_ufunc


def _source_of(function: Any) -> Callable[..., Any] | None:
    """NumPy's function of that name as its source has it, executed over our namespace; None for what is C there."""
    package = str(function.__module__).removeprefix("torch_np.numpy").strip(".")
    for path in _MODULES.get(package, ()):
        found = _private.source_names(path).get(function.__name__)
        if found is not None:
            return found
    return None


def _array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    running = vars(_active).setdefault("functions", [])
    source = None if func in running else _source_of(func)  # a method may call the function that called it
    if source is None:
        result = ndarray.__array_function__(self, func, types, args, kwargs)
        if func.__name__ in ("concatenate", "concat") and type(result) is ndarray and self.__array_priority__ > 0:
            return result.view(type(self))  # as NumPy's in C: of the class with the highest priority
        return result
    running.append(func)
    try:
        return source(*args, **kwargs)
    finally:
        running.pop()


def _base(x):
    return x.view(ndarray) if _C._is_ndarray(x) and type(x) is not ndarray else x


# What the operand on the right is asked with when a scalar or an array of NumPy's is on the left.
_REFLECTED = {"equal": "__eq__", "not_equal": "__ne__", "less": "__gt__", "less_equal": "__ge__", "greater": "__lt__", "greater_equal": "__le__",
              "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__", "floor_divide": "__rfloordiv__",
              "power": "__rpow__"}


def _array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
    if len(inputs) == 2 and isinstance(inputs[0], (_numpy.generic, _numpy.ndarray)) and inputs[1] is self and method == "__call__" and not kwargs:
        # To those the operand is of a class that they do not know; they would have left the operator to a subclass of NumPy's.
        reflected = getattr(type(self), _REFLECTED.get(ufunc.__name__, ""), None)
        if isinstance(reflected, FunctionType):
            return reflected(self, inputs[0])
    out = kwargs.pop("out", None)
    if out is not None:
        out = out if isinstance(out, tuple) else (out,)
        kwargs["out"] = tuple(map(_base, out))
    named = {k: _base(v) for k, v in kwargs.items()}
    found = getattr(ufunc, method)(*map(_base, inputs), **named)
    if found is None:  # ufunc.at
        return None
    wrapper = max((x for x in inputs if _C._is_ndarray(x)), key=lambda x: x.__array_priority__, default=self)
    results = found if isinstance(found, tuple) else (found,)
    wrapped = tuple(_wrapped(result, wrapper, out[i] if out is not None and i < len(out) else None,
                             (ufunc, inputs, i) if method == "__call__" else None) for i, result in enumerate(results))
    return wrapped if isinstance(found, tuple) else wrapped[0]


def _wrapped(result, wrapper, out, context):
    if out is not None:
        return out.__array_wrap__(out, context, False) if type(out) is not ndarray and _C._is_ndarray(out) else out
    array = nx.asarray(result)
    if type(array) is not ndarray:  # of a dtype that the engine does not hold
        return result
    return wrapper.__array_wrap__(array, context, array.ndim == 0)
