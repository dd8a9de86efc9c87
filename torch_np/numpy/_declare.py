"""Decorators by which compositions declare their properties to `_overrides`."""
from collections.abc import Callable
from typing import Any, TypeVar

from torch_np import _C

_Function = TypeVar("_Function", bound=Callable[..., Any])


def base_class(function: _Function) -> _Function:
    """Declares that the results have the base class, whatever the class of the first argument, as
    in NumPy.
    """
    function._base_class = True  # type: ignore[attr-defined]
    return function


def takes_arrays(function: _Function) -> _Function:
    """Declares that some arguments are lists of arrays, any of which may override the function."""
    function._takes_arrays = True  # type: ignore[attr-defined]
    return function


def takes_nested_arrays(function: _Function) -> _Function:
    """Declares that some arguments are lists of arrays, or of such lists."""
    function._takes_nested_arrays = True  # type: ignore[attr-defined]
    return takes_arrays(function)


def value(function: _Function) -> _Function:
    """Declares that 0-d results are scalars in NumPy, and therefore values here (docs/design.md,
    'Values').
    """
    function._value = True  # type: ignore[attr-defined]
    return function


_PLAIN = frozenset((_C.ndarray, list, tuple, int, float))


def in_class_of(result: Any, *operands: Any) -> Any:
    """Converts `result` to the class of the operand with the highest `__array_priority__`; if
    several have it, of the first. Used by compositions for which this is not the first argument's
    class.
    """
    if all(type(x) in _PLAIN for x in operands):
        return result
    wrapper = max((x for x in operands if _C._is_ndarray(x) and type(x) is not _C.ndarray), key=lambda x: x.__array_priority__, default=None)
    return result if wrapper is None or type(result) is not _C.ndarray else wrapper.__array_wrap__(result)


def in_class_of_priority(result: Any, first: Any, second: Any) -> Any:
    """Converts `result` to the class of the operand with the higher `__array_priority__` (of the
    first, if both are equal), as NumPy's products in C do. An operand that is not of a subclass has
    priority 0.
    """
    def priority(x: Any) -> float:
        return float(x.__array_priority__) if _C._is_ndarray(x) and type(x) is not _C.ndarray else 0.0
    operand = second if type(second) is not type(first) and priority(second) > priority(first) else first
    return _C.ndarray.__array_wrap__(operand, result) if _C._is_ndarray(operand) and type(operand) is not _C.ndarray else result
