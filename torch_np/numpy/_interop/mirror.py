"""Mirrors of NumPy modules that cannot be executed over this namespace, as they are written in C or
are about dtypes that the engine does not hold.

A mirror has the names of the NumPy module. Where NumPy's object is a public function or class that
this package has, the mirror has this package's (`numpy._core.umath.add` becomes our `add`). Other
functions are NumPy's own, with arrays converted (exchange.py).
"""
from __future__ import annotations

import functools
import importlib
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as _numpy

from torch_np.numpy._interop import exchange as _exchange, source as _source

# Namespaces in which NumPy and this package have the same names.
_PUBLIC = ("", ".linalg", ".fft", ".random", ".lib.scimath", ".lib", ".lib.stride_tricks", ".lib.array_utils", ".lib.npyio")

_FUNCTIONS = (FunctionType, BuiltinFunctionType, type(_numpy.sum))


def public() -> dict[int, tuple[ModuleType, str]]:
    """Maps the identity of NumPy's public objects to the module and name of this package's. A NumPy
    module that is not loaded yet (`numpy.random`) is skipped, as no object of it can exist; so this
    package's module is not loaded either.
    """
    return _places(tuple(path for path in _PUBLIC if f"numpy{path}" in sys.modules))


@functools.cache
def _places(paths):
    table: dict[int, tuple[ModuleType, str]] = {}
    for path in paths:
        theirs, ours = (importlib.import_module(root + path) for root in ("numpy", _source.PACKAGE))
        known = set(dir(ours))
        for name, value in vars(theirs).items():
            if name in known and isinstance(value, (*_FUNCTIONS, _numpy.ufunc, type)):
                if id(value) not in table or name == value.__name__:  # prefer `concatenate` to its alias `concat`
                    table[id(value)] = ours, name
    return table


def forget() -> None:
    """Clears the cache after the names of this package have changed."""
    _places.cache_clear()


def ours_of(value: Any) -> Any:
    """Returns this package's object for a public function or class of NumPy; None if there is none.
    """
    place = public().get(id(value))
    return None if place is None else getattr(*place)


def mirrored(theirs: Any, module: str) -> Any:
    """Returns the object that replaces NumPy's in `module`."""
    if isinstance(theirs, ModuleType):
        return _module(theirs)
    ours = ours_of(theirs)
    return own(theirs, module) if ours is None else ours


def own(theirs: Any, module: str) -> Any:
    """Returns NumPy's object for `module`: functions convert arrays, other objects are unchanged.
    """
    return _exchange.converted(theirs, module) if isinstance(theirs, (*_FUNCTIONS, _numpy.ufunc)) else theirs


def _module(theirs):
    if theirs.__name__.startswith("numpy."):
        try:
            return importlib.import_module("torch_np." + theirs.__name__)
        except ImportError:  # a module created by an extension, which cannot be imported
            pass
    return theirs


class Mirror(ModuleType):
    """A module that looks up names in NumPy's module on first access, and keeps the replacements.
    """

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
