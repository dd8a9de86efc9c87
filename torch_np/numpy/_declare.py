"""What a composition says of itself to `_overrides`, beside its definition."""
from collections.abc import Callable
from typing import Any, TypeVar

from torch_np import _C

_Function = TypeVar("_Function", bound=Callable[..., Any])


def base_class(function: _Function) -> _Function:
    """Its results are of the base class in NumPy, whatever the class of the first argument."""
    function._base_class = True  # type: ignore[attr-defined]
    return function


def takes_arrays(function: _Function) -> _Function:
    """Arguments of it are lists of arrays, any of which may override it."""
    function._takes_arrays = True  # type: ignore[attr-defined]
    return function


def takes_nested_arrays(function: _Function) -> _Function:
    """The same of lists that may hold lists."""
    function._takes_nested_arrays = True  # type: ignore[attr-defined]
    return takes_arrays(function)


def value(function: _Function) -> _Function:
    """Its 0-d results are scalars in NumPy, and so values here (docs/design.md, 'Values')."""
    function._value = True  # type: ignore[attr-defined]
    return function


def in_class_of(result: Any, *operands: Any) -> Any:
    """`result` as an object of the class of that operand of a subclass which comes first by `__array_priority__`, then by order; for
    compositions where this is not the first argument's."""
    wrapper = max((x for x in operands if _C._is_ndarray(x) and type(x) is not _C.ndarray), key=lambda x: x.__array_priority__, default=None)
    return result if wrapper is None or type(result) is not _C.ndarray else wrapper.__array_wrap__(result)
