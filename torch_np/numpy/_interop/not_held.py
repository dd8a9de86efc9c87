"""Fallback to NumPy for dtypes that the engine does not hold: csrc/args/fallback.h sends such calls
to NumPy's functions.

Arrays of this package among the arguments become NumPy views of the same memory. NumPy arrays among
the results become arrays of this package if the engine holds their dtype and layout. Others stay
numpy.ndarray, which every function of this package accepts.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange

# With dtype=object these functions keep the objects of a sequence, including arrays of this
# package.
_KEEP_OBJECTS = frozenset(("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "full", "full_like", "fromiter"))
# Functions that write to their first argument; others write to out=.
_WRITES = frozenset(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "ndarray.__setitem__", "ndarray.fill",
                     "ndarray.partition", "ndarray.put", "ndarray.sort"))


def call(name: str, self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """Calls NumPy's function after this package's raised `error`: a NotHeldError, or the
    OverflowError of an integer beyond 64 bits.

    Errors: `error` itself if NumPy has no such function, or if a ufunc rejected such an integer;
    TypeError for arrays that NumPy cannot view; exceptions of NumPy.
    """
    path = name if self is None else f"ndarray.{name.rpartition('.')[2]}"
    function = _numpys(path)
    # NumPy's generators would draw other numbers
    if function is None or path.startswith("random."):
        raise error
    if isinstance(error, OverflowError) and isinstance(getattr(function, "__self__", function), _numpy.ufunc):
        raise error
    return exchange(path, function, args if self is None else (self, *args), kwargs, error)


def call_with_views(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a ufunc or function of another library with NumPy views of this package's arrays.
    Errors: as `call`.
    """
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(owner := getattr(function, "__self__", None), _numpy.ufunc):
        name = f"{owner.__name__}.{name}"
    return exchange(name, function, args, kwargs, "the engine has no such function")


def exchange(path: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], why: object) -> Any:
    """Calls NumPy's `function` and converts the result. `path` is its name and `why` the reason for
    the call, both for messages.
    """
    _check_device(path, kwargs)
    # A dictionary is an object to NumPy, and is passed unchanged.
    there = _exchange.Exchange(path, f"{why}. ", dictionaries=False)
    deep = path not in _KEEP_OBJECTS or not any(map(_is_object_dtype, (*args[1:], kwargs.get("dtype"))))
    _enter(path, why)
    try:
        result = there.call(function, args, kwargs, deep)
    finally:
        _running.paths.pop()
    if path in _WRITES or path.endswith(".at"):
        there.changed(args[:1])
    return there.ours(result)


class _Running(threading.local):
    def __init__(self) -> None:
        self.paths: list[str] = []  # names of the functions that NumPy computes now, in this thread


_running = _Running()
_MOST_NESTED = 8


def _enter(path, why):
    """Registers a running call. NumPy's function may pass an array in an argument back to this
    package. Errors: TypeError for infinite recursion.
    """
    if _running.paths.count(path) >= _MOST_NESTED:
        raise TypeError(f"{path}(): {why}; NumPy cannot convert an argument that contains arrays of both libraries: use a list")
    _running.paths.append(path)


def _numpys(path):
    """Returns the object at `path` in numpy; None if it does not exist."""
    found: Any = _numpy
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def _is_object_dtype(value):
    return value is object or isinstance(value, str) and value in ("O", "object") or isinstance(value, _numpy.dtype) and value.hasobject


def _check_device(path, kwargs):
    for name in ("device", "_device"):
        if str(kwargs.pop(name, None) or "cpu") != "cpu":
            raise TypeError(f"{path}(): only NumPy has the dtype of the result, and it has no device but 'cpu'")
    if kwargs.pop("_requires_grad", False):
        raise TypeError(f"{path}(): only NumPy has the dtype of the result, and it records no gradients")


_MODES = {"numpy": True, "raise": False}


def _mode(mode):
    if mode not in _MODES:
        raise ValueError(f"the fallback is 'numpy' or 'raise', not {mode!r}")
    return _MODES[mode]


class _fallback:
    """Context manager that sets the handling of dtypes that the engine does not hold, in this
    thread.

    The environment variable TORCH_NP_FALLBACK=raise sets 'raise' for the whole process.

    Args:
      mode: 'numpy', the default, computes with NumPy; 'raise' raises TypeError.

    Errors: ValueError if `mode` is neither.
    """

    def __init__(self, mode: str) -> None:
        self._allowed = _mode(mode)
        self._before: list[bool | None] = []

    def __enter__(self) -> None:
        self._before.append(_C._set_fallback(self._allowed, thread=True))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _C._set_fallback(self._before.pop(), thread=True)


_C._set_fallback(_mode(os.environ.get("TORCH_NP_FALLBACK", "numpy")))
