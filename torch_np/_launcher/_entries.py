"""Functions of libraries that must be told about arrays of ours under the launcher.

Some keep an array as it is if it is an instance of numpy.ndarray, and their compiled code then refuses
ours: `x.__class__` is numpy.ndarray for them (_numpy.py). They are where a library's data comes in,
and get NumPy arrays over the same memory. Others recognise arrays by the module of their class, or
look up the class of an array in a table.
"""
from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

import torch_np.numpy
from torch_np import _C
from torch_np._launcher import _wrapping

# By module: functions, or methods of classes, that get NumPy's arrays.
_ENTRIES = {
    "pandas.core.construction": ("sanitize_array", "extract_array", "ensure_wrapped_if_datetimelike"),
    "pandas.core.internals.construction": ("ndarray_to_mgr",),
    "pandas.core.algorithms": ("factorize", "isin", "unique"),
    "h5py._hl.selections": ("select",),
    "h5py._hl.dataset": ("Dataset.read_direct", "Dataset.write_direct"),
    "pyarrow": ("array",),
    "numba.core.dispatcher": ("Dispatcher.__call__",),
    "numba.core.typing.typeof": ("typeof",),
}
# Functions that get NumPy's modules and functions, too: numba's variables outside of a compiled function.
_NAMES = {"numba.core.ir": ("Global.__init__", "FreeVar.__init__")}
# Functions that ask whether their argument is an object of NumPy's.
_QUESTIONS = {"sympy.core.sympify": ("_is_numpy_instance",)}
# Functions that enter a class into a table, where `type(x)` is looked up later: NumPy's arrays are entered with ours.
_REGISTERS = {"autograd.core": ("VSpace.register",), "autograd.tracer": ("Box.register",)}
# Functions of a table of classes and an object. Matplotlib makes a NumPy array of an object before it looks up the class.
_LOOK_UPS = {"matplotlib.units": ("Registry.get_converter",)}
# Names of the class of arrays. Autograd wraps everything that can be called, except objects of the type `type`.
_CLASSES = {"autograd.numpy.numpy_wrapper": ("ndarray",)}
_MODULES = ("", ".linalg", ".fft", ".random")


def _converted(value: Any) -> Any:
    if _C._is_ndarray(value):
        return numpy.asarray(value)
    return tuple(map(_converted, value)) if type(value) is tuple else value


def _numpys(value: Any) -> Any:
    """Returns NumPy's array, module, function or class for one of ours."""
    if isinstance(value, ModuleType) and (value.__name__ + ".").startswith("torch_np.numpy."):
        return importlib.import_module(value.__name__.removeprefix("torch_np."))
    if isinstance(value, (_C.Function, _C.ufunc, type)):
        return _numpys_functions().get(id(value), value)
    return _converted(value)


@functools.cache
def _numpys_functions() -> dict[int, Any]:
    found: dict[int, Any] = {}
    for path in _MODULES:
        ours, theirs = importlib.import_module(f"torch_np.numpy{path}"), importlib.import_module(f"numpy{path}")
        found |= {id(value): getattr(theirs, name) for name, value in vars(ours).items() if isinstance(value, (_C.Function, _C.ufunc)) and hasattr(theirs, name)}
    return found | {id(torch_np.numpy.ndarray): numpy.ndarray, id(torch_np.numpy.ufunc): numpy.ufunc}


def _converting(function: Any, convert: Callable[[Any], Any] = _converted) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(convert, args), **{name: convert(value) for name, value in kwargs.items()})

    return call


def _recognising(function: Any) -> Any:
    @functools.wraps(function)
    def call(value: Any) -> Any:
        return _C._is_ndarray(value) or function(value)

    return call


def _registering(method: classmethod[Any, Any, Any]) -> Any:
    function = method.__func__

    @functools.wraps(function)
    def call(cls: Any, kind: Any, *args: Any, **kwargs: Any) -> Any:
        if kind is torch_np.numpy.ndarray:
            function(cls, numpy.ndarray, *args, **kwargs)
        return function(cls, kind, *args, **kwargs)

    return classmethod(call)


def _looking_up_subclasses(function: Any) -> Any:
    @functools.wraps(function)
    def call(table: Any, value: Any) -> Any:
        kinds = type(value).__mro__
        found = next((kind for kind in kinds if kind in table), None) if torch_np.numpy.ndarray in kinds[1:] else None
        return function(table, value) if found is None else table[found]

    return call


_TABLES: tuple[tuple[dict[str, Any], Callable[[Any], Any]], ...] = (
    (_ENTRIES, _converting), (_NAMES, functools.partial(_converting, convert=_numpys)), (_QUESTIONS, _recognising), (_REGISTERS, _registering),
    (_LOOK_UPS, _looking_up_subclasses), (_CLASSES, lambda _: torch_np.numpy.ndarray))


def convert_at_entries() -> None:
    """Wraps the functions of libraries that are imported later."""
    _wrapping.wrap_when_imported(*_TABLES)
