"""What a composition says of itself to `_overrides`, beside its definition."""
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def base_class(function: _Function) -> _Function:
    """Its results are of the base class in NumPy, whatever the class of the first argument."""
    function._base_class = True  # type: ignore[attr-defined]
    return function


def takes_arrays(function: _Function) -> _Function:
    """Its first argument is a list of arrays, any of which may override it."""
    function._takes_arrays = True  # type: ignore[attr-defined]
    return function


def value(function: _Function) -> _Function:
    """Its 0-d results are scalars in NumPy, and so values here: what _C._value makes of them."""
    function._value = True  # type: ignore[attr-defined]
    return function
