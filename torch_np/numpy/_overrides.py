"""The public face of the compositions: __array_function__ (NEP 18) and like= (NEP 35) of foreign arguments, and the class
of the result.

A composition is written as a plain function, and others call it as such; what users get is `overridable(function)`. The
functions that NumPy lets others override are those that it has made overridable itself, or that take like=.
"""
import inspect
from types import FunctionType, ModuleType
from typing import Any

from torch_np import _C


def overridable(function: FunctionType) -> _C.Function:
    """`function` as users see it."""
    return _C._function(function, takes_like="like" in inspect.signature(function).parameters,
                        takes_arrays=hasattr(function, "_takes_arrays"), keeps_class=not hasattr(function, "_base_class"),
                        gives_values=hasattr(function, "_value"))


def publish(names: dict[str, Any], numpys: ModuleType) -> dict[str, Any]:
    """The dict `names` with those compositions overridable that are so in NumPy's namespace `numpys`."""
    return {name: overridable(value) if _is_overridable(value, getattr(numpys, name, None)) else value
            for name, value in names.items()}


def _is_overridable(function, numpys):
    if type(function) is not FunctionType or hasattr(function, "_implementation"):
        return False
    return hasattr(numpys, "_implementation") or "like" in inspect.signature(function).parameters
