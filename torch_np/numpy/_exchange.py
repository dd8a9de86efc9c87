"""Arrays between this package and NumPy's own functions: our arrays go in as views of the same memory, results come back as ours.

NumPy holds what the engine does not: text, objects, records, dates. Its functions for these are used as they are. What calls of our
functions give where they meet such arrays: _not_held.py.
"""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _recording
from torch_np.numpy._dtypes import as_numpy_dtype, bfloat16

# The dtypes that the engine holds, as NumPy's type objects; bfloat16 is not among NumPy's.
_HELD = {_numpy.dtype(code) for code in "?bBhHiIlLqQefdFD"} | {_numpy.dtype(bfloat16)}


def holds(dtype: _numpy.dtype[Any]) -> bool:
    """Whether an array of ours may have this dtype."""
    return dtype in _HELD and dtype.isnative


def to_numpy(value: Any, who: str) -> Any:
    """`value` with our arrays in it as NumPy's, without a copy; also in lists, tuples and dictionaries.

    Errors: TypeError for an array with a gradient, which NumPy would lose, and for one that is not in the memory of the CPU.
    """
    if _C._is_array(value):
        return view_of(value, who)
    if isinstance(value, _C.dtype):
        return as_numpy_dtype(value)
    return in_containers(value, lambda v: to_numpy(v, who)) if _C._contains_array(value) else value


def view_of(array: Any, who: str, why: str = "") -> Any:
    """An array of ours as NumPy's. `why`: what NumPy is needed for, as a sentence. Errors: those of `to_numpy`."""
    if _recording.recording(array):
        raise TypeError(f"{who}(): {why}NumPy computes this and would lose the gradient of the array; use _detach() first")
    if str(array.device) != "cpu":
        raise TypeError(f"{who}(): {why}NumPy computes this, and the array is on the device '{array.device}'; use _cpu() first")
    view = _C._numpy_view(array)
    if type(array) in (_C.ndarray, _C.Tensor):
        return view
    if _is_masked(array, "torch_np.numpy"):
        masked: Any = array
        return _numpy.ma.MaskedArray(view, mask=to_numpy(masked.mask, who), fill_value=masked.fill_value, hard_mask=masked.hardmask)
    return view


def _is_masked(value, package):
    """Whether `value` is a masked array of `package`; imports no module for the answer."""
    module = sys.modules.get(f"{package}.ma.core")
    return module is not None and isinstance(value, module.MaskedArray)


def from_numpy(value: Any) -> Any:
    """`value` with NumPy's arrays in it as ours where the engine holds their dtype and layout; subclasses, but for masked arrays, stay
    what they are."""
    if type(value) is _numpy.ndarray:
        return _C._held(value)
    if _is_masked(value, "numpy"):
        return _masked(value)
    return in_containers(value, from_numpy)


def _masked(value: Any) -> Any:
    if type(value) is not _numpy.ma.MaskedArray or not holds(value.dtype):
        return value
    ma: Any = importlib.import_module("torch_np.numpy.ma")
    if value is _numpy.ma.masked:
        return ma.masked
    mask = ma.nomask if value.mask is _numpy.ma.nomask else from_numpy(value.mask)
    return ma.MaskedArray(from_numpy(value.data), mask=mask, fill_value=value.fill_value, hard_mask=value.hardmask)


def in_containers(value: Any, convert: Callable[[Any], Any]) -> Any:
    """`value` with `convert` applied to what lists, tuples (named ones too) and dictionaries hold; the same object if nothing changed."""
    if isinstance(value, tuple):
        items = [convert(v) for v in value]
        if not _differ(items, value):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is list:
        items = [convert(v) for v in value]
        return items if _differ(items, value) else value
    if type(value) is dict:
        pairs = {k: convert(v) for k, v in value.items()}
        return pairs if _differ(pairs.values(), value.values()) else value
    return value


def _differ(items: Iterable[Any], others: Iterable[Any]) -> bool:
    return any(a is not b for a, b in zip(items, others))


def converted(function: Callable[..., Any], module: str, convert: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
    """NumPy's `function` for our arrays, as a function of our `module`. An array of ours that it was to write into (`out=`) comes
    back as that very object. `convert` in place of `to_numpy` for the arguments. Errors: those of `to_numpy`, and NumPy's."""
    name = getattr(function, "__name__", type(function).__name__)
    theirs_of = convert or (lambda value: to_numpy(value, name))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        theirs, named = theirs_of(args), theirs_of(kwargs)
        try:
            found = function(*theirs, **named)
        except ValueError as error:
            if not is_of_array_methods(error):
                raise
            theirs, named = theirs_of(tuple(map(as_array, args))), theirs_of({k: as_array(v) for k, v in kwargs.items()})
            found = function(*theirs, **named)
        if isinstance(found, _numpy.ndarray):
            for ours, view in [*zip(args, theirs), *((kwargs[k], named[k]) for k in kwargs)]:
                if found is view:
                    return ours
        return from_numpy(found)

    copy_signature(call, function)
    call.__module__ = module
    return call


def is_of_array_methods(error: ValueError) -> bool:
    """Whether NumPy was given an object whose __array__ gives one of our arrays, which for NumPy is none."""
    return str(error).startswith("object __array__ method not producing")


def as_array(value: Any) -> Any:
    """Our array that the __array__ of `value` gives; `value` if it gives none."""
    made = value.__array__() if hasattr(type(value), "__array__") else value
    return made if _C._is_array(made) else value


def copy_signature(wrapper: Any, function: Callable[..., Any]) -> None:
    """Gives `wrapper` the signature that `inspect` shows for `function`, where it has one (some built-ins have none)."""
    del wrapper.__wrapped__
    try:
        wrapper.__signature__ = inspect.signature(function)
    except ValueError:
        pass


class ConvertedUfunc:
    """A ufunc of NumPy's that this package has none of (of text, of dates), for our arrays."""

    def __init__(self, ufunc: _numpy.ufunc, module: str) -> None:
        self._ufunc = ufunc
        self._call = converted(ufunc, module)
        functools.update_wrapper(self, ufunc, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._ufunc, name)
        return converted(value, self.__module__) if callable(value) else value

    def __repr__(self) -> str:
        return repr(self._ufunc)
