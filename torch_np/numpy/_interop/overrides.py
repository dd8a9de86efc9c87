"""The public face of the compositions: __array_function__ (NEP 18) and like= (NEP 35) of foreign arguments, the class of the
result, and NumPy's function for what the engine does not hold.

A composition is written as a plain function, and others call it as such; what users get is `overridable(function)`. The
functions that NumPy lets others override are those that it has made overridable itself, or that take like=.
"""
from types import FunctionType, ModuleType
from typing import Any

from torch_np import _C


def _takes_like(function: FunctionType) -> bool:
    # Names of parameters come first. inspect.signature takes a hundred times as long, and `import` asks this of 400 functions.
    code = function.__code__
    return "like" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def overridable(function: FunctionType) -> _C.Function:
    """`function` as users see it."""
    return _C._function(function, takes_like=_takes_like(function),
                        takes_arrays=hasattr(function, "_takes_arrays"), keeps_class=not hasattr(function, "_base_class"),
                        gives_values=hasattr(function, "_value"), nested=hasattr(function, "_takes_nested_arrays"))


def falls_back(function: FunctionType) -> _C.Function:
    """`function` as users see it, where NumPy lets nobody override it."""
    return _C._function(function, gives_values=hasattr(function, "_value"), overridable=False)


def publish(names: dict[str, Any], numpys: ModuleType) -> dict[str, Any]:
    """The dict `names` with the compositions as users see them: overridable, if they are so in NumPy's namespace `numpys`."""
    return {name: _published(value, getattr(numpys, name, None)) if _is_composition(value) else value for name, value in names.items()}


def _is_composition(value):
    return type(value) is FunctionType and value.__module__.startswith("torch_np.") and not value.__name__.startswith("_")


def _published(function, numpys):
    # Of NumPy's built-ins the signature is a text, which inspect finds by way of __wrapped__.
    if (text := getattr(numpys, "__text_signature__", None)) and not hasattr(numpys, "__signature__"):
        function.__text_signature__, function.__wrapped__ = text, numpys
    is_overridable = hasattr(numpys, "_implementation") or _takes_like(function)
    return overridable(function) if is_overridable else falls_back(function)
