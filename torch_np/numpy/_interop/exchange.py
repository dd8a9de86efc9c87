"""Calls of NumPy's own functions with arrays of this package. Arguments become NumPy views of the
same memory, and results become arrays of this package.

NumPy holds dtypes that the engine does not: text, objects, records, dates. Its functions for these
are used unchanged. See not_held.py for calls of this package's functions with such arrays.
"""
from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _differentiation
from torch_np.numpy._dtypes import as_numpy_dtype, bfloat16

# The dtypes that the engine holds, as NumPy dtypes; bfloat16 is not one of NumPy's own.
_HELD = {_numpy.dtype(code) for code in "?bBhHiIlLqQefdFD"} | {_numpy.dtype(bfloat16)}


def holds(dtype: _numpy.dtype[Any]) -> bool:
    """Whether the engine holds arrays of this dtype."""
    return dtype in _HELD and dtype.isnative


def to_numpy(value: Any, who: str) -> Any:
    """Replaces arrays in `value` by NumPy arrays over the same memory, also in lists, tuples and
    dictionaries.

    Errors: TypeError for an array that requires a gradient, which NumPy would lose, and for one
    that is not on the CPU.
    """
    return Exchange(who).theirs(value)


_NOT_OURS = "torch_np has no such function"


class Exchange:
    """Conversion of the arrays of one call to and from NumPy. Error messages contain `who` and
    `why` (see `view_of`).
    """

    def __init__(self, who: str, why: str = "", dictionaries: bool = True) -> None:
        self._who, self._why, self._dictionaries = who, why, dictionaries
        # by the id of the view, which the tuple keeps alive
        self._originals: dict[int, tuple[Any, Any]] = {}

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], deep: bool = True) -> Any:
        """Returns the result of NumPy's `function`. Arrays that it may have written to get a new
        version for autograd. A profile has the call as a label, which reports read.
        """
        ticket = _C._profiler_begin(f"{self._who}, computed by NumPy: {self._why or _NOT_OURS}") if _C._profiler_is_on() else 0
        try:
            return self._call(function, args, kwargs, deep)
        finally:
            _C._profiler_end(ticket)

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], deep: bool) -> Any:
        try:
            found = function(*[self.theirs(a, deep) for a in args], **{k: self.theirs(v, deep) for k, v in kwargs.items()})
        except ValueError as error:
            if not _is_of_array_methods(error):
                raise
            made: list[tuple[Any, Any]] = []
            args, kwargs = tuple(_as_arrays(a, made) for a in args), {k: _as_arrays(v, made) for k, v in kwargs.items()}
            found = function(*map(self.theirs, args), **{k: self.theirs(v) for k, v in kwargs.items()})
            if not deep:
                self._keep_objects(found, made)
        self.changed(kwargs.get("out"))
        if isinstance(function, _numpy.ufunc):
            self.changed(args[function.nin:])
        return found

    def _keep_objects(self, found: Any, made: list[tuple[Any, Any]]) -> None:
        """Restores objects in the object array `found`, where NumPy put 0-d arrays made from them.
        `made` has pairs of such an array and its object.
        """
        objects = {id(array): value for array, value in made}
        for i in _numpy.ndindex(found.shape):
            _, array = self._originals.get(id(found[i]), (None, None))
            if id(array) in objects:
                found[i] = objects[id(array)]

    def theirs(self, value: Any, deep: bool = True) -> Any:
        """Replaces this package's arrays in `value` by NumPy arrays; with `deep`, also inside
        containers."""
        if _C._is_array(value):
            view = view_of(value, self._who, self._why)
            self._originals[id(view)] = view, value
            return view
        if type(value) is _C.dtype:
            return as_numpy_dtype(value)
        if not deep or type(value) in _ATOMS or isinstance(value, dict) and not self._dictionaries:
            return value
        if _C._contains_array(value):
            return in_containers(value, self.theirs)
        if not _is_other_sequence(value):
            return value
        try:
            given = list(value)  # iterate only once: some classes create new items in each iteration
        except Exception:  # NumPy decides: it treats such a value as an object
            return value
        items = [self.theirs(v) for v in given]
        return items if _differ(items, given) else value

    def ours(self, value: Any) -> Any:
        """Converts a result: a view of an argument becomes the original array, and other arrays are
        converted if the engine holds their dtype.
        """
        if id(value) in self._originals:
            return self._originals[id(value)][1]
        if isinstance(value, (list, tuple)):
            return in_containers(value, self.ours)
        return from_numpy(value)

    def changed(self, value: Any) -> None:
        """Increments the autograd version of arrays that were written to."""
        for array in value if isinstance(value, (tuple, list)) else (value,):
            if _C._is_array(array):
                _C._bump_version(array)


_ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes, type, slice, type(...)))
_NO_SEQUENCES = (list, tuple, dict, str, bytes, bytearray, memoryview, Mapping, _numpy.ndarray, _numpy.generic, _numpy.dtype)


def _is_other_sequence(value):
    """Whether NumPy treats `value` as a sequence like a list: a deque, or a class with the same
    methods.
    """
    kind = type(value)
    return (issubclass(kind, (list, tuple)) and kind not in (list, tuple)) or (
        not issubclass(kind, _NO_SEQUENCES) and hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
        and not any(hasattr(kind, name) for name in ("__array__", "__array_interface__", "__array_struct__", "__buffer__")))


def view_of(array: Any, who: str, why: str = "") -> Any:
    """Returns a NumPy view of an array. `why` is a sentence in error messages that explains the
    need for NumPy. Errors: those of `to_numpy`.
    """
    if _differentiation.compute_requires_grad(array):
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
    """Whether `value` is a masked array of `package`; imports no module to find out."""
    module = sys.modules.get(f"{package}.ma.core")
    return module is not None and isinstance(value, module.MaskedArray)


def from_numpy(value: Any) -> Any:
    """Replaces NumPy arrays in `value` by arrays of this package, where the engine holds their
    dtype and layout. Subclasses, except for masked arrays, are not converted.
    """
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
    """Applies `convert` to the items of lists, tuples (also named ones) and dictionaries. Returns
    the same object if nothing changed.
    """
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


def call_exchanging(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls NumPy's `function` with arrays converted; the general path of `converted` functions."""
    there = Exchange(getattr(function, "__name__", type(function).__name__))
    return there.ours(there.call(function, args, kwargs))


def signature_of_numpys(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature of NumPy's `function`. Errors: AttributeError if it has none, as some
    built-ins.
    """
    try:
        return inspect.signature(function)
    except ValueError as error:
        raise AttributeError("__signature__") from error


def converted(function: Callable[..., Any], module: str) -> _C.ConvertedFunction:
    """Wraps NumPy's function or ufunc for arrays of this package, as a function of `module`. An
    array given as `out=` is returned itself. Errors: those of `to_numpy`, and NumPy's.
    """
    return _C.ConvertedFunction(function, module)


def _is_of_array_methods(error):
    """Whether NumPy rejected an object whose __array__ returns an array of this package."""
    return str(error).startswith("object __array__ method not producing")


def _as_arrays(value, made):
    """Returns the array that the __array__ of `value` returns, if it is one of this package,
    otherwise `value`; also in lists, tuples and dictionaries. Pairs of arrays and objects are
    appended to `made`.
    """
    if not hasattr(type(value), "__array__"):
        return in_containers(value, lambda v: _as_arrays(v, made))
    array = value.__array__()
    if not _C._is_array(array):
        return value
    made.append((array, value))
    return array


def copy_signature(wrapper: Any, function: Callable[..., Any]) -> None:
    """Gives `wrapper` the signature that `inspect` shows for `function`, if it has one. Some
    built-ins have none; others have a text, which `inspect` finds through `__wrapped__`.
    """
    text = getattr(function, "__text_signature__", None)
    if text and not hasattr(function, "__signature__"):
        wrapper.__text_signature__ = text
        return
    del wrapper.__wrapped__
    try:
        wrapper.__signature__ = inspect.signature(function)
    except ValueError:
        pass
