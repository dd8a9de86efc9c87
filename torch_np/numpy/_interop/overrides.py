"""Wraps compositions into public functions, which support overriding by foreign arguments
(__array_function__, NEP 18, and like=, NEP 35), the class of results, and the fallback to NumPy.

A composition is a plain function, and other compositions call it directly. Users see
`overridable(function)`. A function is overridable if NumPy's is, or if it has the parameter like=.
"""
from types import FunctionType, ModuleType
from typing import Any

from torch_np import _C


def _takes_like(function: FunctionType) -> bool:
    # The names of parameters come first in co_varnames. inspect.signature would take a hundred
    # times as long, and `import` calls this for 400 functions.
    code = function.__code__
    return "like" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def overridable(function: FunctionType) -> _C.Function:
    """Returns the public, overridable function."""
    return _C._function(function, takes_like=_takes_like(function),
                        takes_arrays=hasattr(function, "_takes_arrays"), keeps_class=not hasattr(function, "_base_class"),
                        gives_values=hasattr(function, "_value"), nested=hasattr(function, "_takes_nested_arrays"))


def falls_back(function: FunctionType) -> _C.Function:
    """Returns the public function if NumPy's is not overridable."""
    return _C._function(function, gives_values=hasattr(function, "_value"), overridable=False)


def publish(names: dict[str, Any], numpys: ModuleType) -> dict[str, Any]:
    """Returns `names` with compositions replaced by public functions, which are overridable if
    those in NumPy's namespace `numpys` are.
    """
    return {name: _published(value, getattr(numpys, name, None)) if _is_composition(value) else value for name, value in names.items()}


def _is_composition(value):
    return type(value) is FunctionType and value.__module__.startswith("torch_np.") and not value.__name__.startswith("_")


def _published(function, numpys):
    # The signature of NumPy's built-ins is a text, which inspect finds through __wrapped__.
    if (text := getattr(numpys, "__text_signature__", None)) and not hasattr(numpys, "__signature__"):
        function.__text_signature__, function.__wrapped__ = text, numpys
    is_overridable = hasattr(numpys, "_implementation") or _takes_like(function)
    return overridable(function) if is_overridable else falls_back(function)
