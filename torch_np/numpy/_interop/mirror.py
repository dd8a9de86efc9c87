"""Modules of NumPy's that cannot be executed over our namespace, since they are C or about dtypes that the engine has not.

A mirror has the names of such a module. Where NumPy's object is a public function or class that this package has, it is ours
(`numpy._core.umath.add` is our `add`); other functions are NumPy's own, with our arrays converted (exchange.py).
"""
from __future__ import annotations

import functools
import importlib
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as _numpy

from torch_np.numpy._interop import exchange as _exchange, source as _source

# Namespaces in which NumPy and we have the same names.
_PUBLIC = ("", ".linalg", ".fft", ".random", ".lib.scimath", ".lib", ".lib.stride_tricks", ".lib.array_utils", ".lib.npyio")

_FUNCTIONS = (FunctionType, BuiltinFunctionType, type(_numpy.sum))


def public() -> dict[int, tuple[ModuleType, str]]:
    """Where we have what NumPy has under a public name, by the identity of NumPy's object. Nobody has an object of a module of NumPy's that
    was not loaded yet (`numpy.random`), so ours is not loaded for it, either."""
    return _places(tuple(path for path in _PUBLIC if f"numpy{path}" in sys.modules))


@functools.cache
def _places(paths):
    table: dict[int, tuple[ModuleType, str]] = {}
    for path in paths:
        theirs, ours = (importlib.import_module(root + path) for root in ("numpy", _source.PACKAGE))
        known = set(dir(ours))
        for name, value in vars(theirs).items():
            if name in known and isinstance(value, (*_FUNCTIONS, _numpy.ufunc, type)):
                if id(value) not in table or name == value.__name__:  # `concatenate` rather than its alias `concat`
                    table[id(value)] = ours, name
    return table


def forget() -> None:
    """The names of this package have changed."""
    _places.cache_clear()


def ours_of(value: Any) -> Any:
    """Our object for a public function or class of NumPy's; None if there is none."""
    place = public().get(id(value))
    return None if place is None else getattr(*place)


def mirrored(theirs: Any, module: str) -> Any:
    """What stands in our `module` for an object of NumPy's."""
    if isinstance(theirs, ModuleType):
        return _module(theirs)
    ours = ours_of(theirs)
    return own(theirs, module) if ours is None else ours


def own(theirs: Any, module: str) -> Any:
    """NumPy's object for our `module`: functions with our arrays converted, all else as it is."""
    if isinstance(theirs, _numpy.ufunc):
        return _exchange.ConvertedUfunc(theirs, module)
    return _exchange.converted(theirs, module) if isinstance(theirs, _FUNCTIONS) else theirs


def _module(theirs):
    if theirs.__name__.startswith("numpy."):
        try:
            return importlib.import_module("torch_np." + theirs.__name__)
        except ImportError:  # a module that an extension made, which nothing can import
            pass
    return theirs


class Mirror(ModuleType):
    """A module whose names are looked up in NumPy's when they are asked for, and kept."""

    _theirs: ModuleType

    def __getattr__(self, name: str) -> Any:
        if name in _MODULE_ATTRIBUTES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            theirs = getattr(self._theirs, name)
        except AttributeError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None
        value = mirrored(theirs, self.__name__)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(self._theirs)}.difference(_MODULE_ATTRIBUTES))


_MODULE_ATTRIBUTES = ("__path__", "__file__", "__cached__", "__spec__", "__wrapped__", "_theirs")


def mirror(name: str) -> None:
    """Makes the module `name` of this package a mirror of NumPy's."""
    module = sys.modules[name]
    vars(module)["_theirs"] = importlib.import_module(_source.numpys_name(name))
    module.__class__ = Mirror
    module.__doc__ = module._theirs.__doc__ if module.__doc__ is None else module.__doc__
