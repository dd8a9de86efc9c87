"""The class of sparse tensors, and the table of functions that take them.

A sparse tensor is a Tensor whose class overrides every function (`__torch_function__`). A function or
method without an entry in the table raises NotImplementedError, so that no operator ever reads a
sparse tensor as if it were dense.
"""
from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import torch_np
from torch_np import _C
from torch_np.sparse._parts import LAYOUTS, parts_of

_F = TypeVar("_F", bound=Callable[..., Any])
# Keys: functions, and method descriptors of Tensor.
_functions: dict[Any, Callable[..., Any]] = {}
_getters: dict[str, Callable[[Any], Any]] = {}
_setters: dict[str, Callable[[Any, Any], None]] = {}


def _named(name: str) -> list[Any]:
    """The functions and methods of one name: `add` is torch_np.add and Tensor.add, `Tensor.abs` and
    `linalg.norm` are one function each.
    """
    if name.startswith("Tensor."):
        return [getattr(_C.Tensor, name.removeprefix("Tensor."))]
    place: Any = torch_np
    *modules, last = name.split(".")
    for module in modules:
        place = getattr(place, module)
    found = [getattr(place, last, None)]
    if not modules:
        found.append(getattr(_C.Tensor, last, None))
    found = [function for function in found if function is not None]
    if not found:
        raise AttributeError(f"no function or method is called {name}")
    return found


def implements(*names: str) -> Callable[[_F], _F]:
    """Decorator of a function that is called for sparse arguments of the functions and methods of these
    names, with the same arguments.

    Args:
      names: `add` (torch_np.add and Tensor.add), `Tensor.__add__`, `linalg.norm`.
    """
    def register(function: _F) -> _F:
        for name in names:
            for key in _named(name):
                _functions[key] = function
        return function
    return register


def getter(*names: str) -> Callable[[_F], _F]:
    """Decorator of a function that gives the attributes of these names of a sparse tensor."""
    def register(function: _F) -> _F:
        _getters.update(dict.fromkeys(names, function))
        return function
    return register


def setter(*names: str) -> Callable[[_F], _F]:
    """Decorator of a function of (tensor, value) that sets the attributes of these names."""
    def register(function: _F) -> _F:
        _setters.update(dict.fromkeys(names, function))
        return function
    return register


def attributes() -> dict[str, property]:
    """The registered attributes as properties. What is registered later replaces a function here, too."""
    def get(name: str) -> Callable[[Any], Any]:
        return lambda x: _getters[name](x)

    def put(name: str) -> Callable[[Any, Any], None]:
        return lambda x, value: _setters[name](x, value)
    return {name: property(get(name), put(name) if name in _setters else None) for name in _getters}


def _layouts_among(arguments: Any) -> set[str]:
    found = set()
    for argument in arguments:
        if isinstance(argument, (list, tuple)):
            found |= _layouts_among(argument)
        elif _C._is_sparse(argument):
            found.add(str(LAYOUTS[parts_of(argument).layout]))
    return found


class SparseTensor(_C.Tensor):
    """A tensor of a sparse layout. Users see the class Tensor."""

    __slots__ = ()

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        entry: Any = _functions.get(function)
        if entry is not None:
            return entry(*args, **kwargs)
        name = getattr(function, "__name__", str(function))
        if name in ("__get__", "__set__", "__delete__"):
            table: Any = {"__get__": _getters, "__set__": _setters}.get(name, {})
            name = getattr(function.__self__, "__name__", str(function.__self__))
            entry = table.get(name)
            if entry is not None:
                return entry(*args[:2 if table is _setters else 1])
        composition = getattr(function, "__wrapped__", None)
        if type(composition) is FunctionType:  # its inner calls come here
            return composition(*args, **kwargs)
        layouts = " and ".join(sorted(_layouts_among([*args, *kwargs.values()])))
        raise NotImplementedError(f"{name}(): not implemented for tensors of the layout {layouts}; to_dense() makes a dense tensor")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _C.Tensor


_C._set_sparse_class(SparseTensor)
