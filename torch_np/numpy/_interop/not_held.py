"""What the engine does not hold, NumPy holds: the calls that csrc/args/fallback.h sends to NumPy's functions.

Our arrays among the arguments are NumPy's over the same memory there, and NumPy's arrays among the results are ours where the
engine has their dtype and layout. What it has not stays a numpy.ndarray, which every function of ours takes.
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

# With dtype=object these keep the very objects that a sequence has, our arrays among them.
_KEEP_OBJECTS = frozenset(("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "full", "full_like", "fromiter"))
# What writes to its first argument; others write to out=.
_WRITES = frozenset(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "ndarray.__setitem__", "ndarray.fill",
                     "ndarray.partition", "ndarray.put", "ndarray.sort"))


def call(name: str, self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """NumPy's answer to a call that ended with `error`: a NotHeldError, or the OverflowError of an integer beyond 64 bits. Errors:
    `error` if NumPy has no such function, or if a ufunc did not take such an integer; TypeError for arrays that cannot leave the
    engine; what NumPy raises."""
    path = name if self is None else f"ndarray.{name.rpartition('.')[2]}"
    function = _numpys(path)
    if function is None or path.startswith("random."):  # NumPy's draws would be of another stream
        raise error
    if isinstance(error, OverflowError) and isinstance(getattr(function, "__self__", function), _numpy.ufunc):
        raise error
    return exchange(path, function, args if self is None else (self, *args), kwargs, error)


def call_with_views(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc or function of others, which was handed to our arrays, with NumPy's in their place. Errors: as `call`."""
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(owner := getattr(function, "__self__", None), _numpy.ufunc):
        name = f"{owner.__name__}.{name}"
    return exchange(name, function, args, kwargs, "the engine has no such function")


def exchange(path: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], why: object) -> Any:
    """The result of NumPy's `function`, as ours. `path`: its name for messages. `why`: what the engine does not hold."""
    _check_device(path, kwargs)
    # A dictionary is an object to NumPy, and stays the one that it is.
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
        self.paths: list[str] = []  # of the calls that NumPy computes now, in this thread


_running = _Running()
_MOST_NESTED = 8


def _enter(path, why):
    """NumPy's function may hand an array that it finds back to ours. Errors: TypeError where that has no end."""
    if _running.paths.count(path) >= _MOST_NESTED:
        raise TypeError(f"{path}(): {why}; and an argument holds arrays of both kinds in a way that NumPy cannot look into: use a list")
    _running.paths.append(path)


def _numpys(path):
    """What stands at `path` in numpy; None if nothing does."""
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
    """A context manager: what becomes of calls, in this thread, with dtypes that the engine does not have.

    'numpy', the default: NumPy computes them. 'raise': they raise TypeError, as they do in the whole process if the environment
    variable TORCH_NP_FALLBACK is `raise`. Errors: ValueError for another mode.
    """

    def __init__(self, mode: str) -> None:
        self._allowed = _mode(mode)
        self._before: list[bool | None] = []

    def __enter__(self) -> None:
        self._before.append(_C._set_fallback(self._allowed, thread=True))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _C._set_fallback(self._before.pop(), thread=True)


_C._set_fallback(_mode(os.environ.get("TORCH_NP_FALLBACK", "numpy")))
