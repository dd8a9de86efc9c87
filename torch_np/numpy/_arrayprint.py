"""Text of arrays: NumPy's own formatter over the same memory."""
from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy import (  # noqa: F401
    base_repr, binary_repr, format_float_positional, format_float_scientific, get_printoptions, printoptions,
    set_printoptions,
)

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import ArrayLike

__all__ = ["array2string", "array_repr", "array_str", "base_repr", "binary_repr", "format_float_positional", "format_float_scientific",
           "get_printoptions", "printoptions", "set_printoptions"]


def _host(a):
    """A NumPy view of `a` for the formatter; from the GPU a copy of the whole array, as printing needs values."""
    if not _C._is_array(a):
        return a
    return _C._numpy_view(a)


def _with_device(text, a):
    device = getattr(a, "device", "cpu")
    return text if str(device) == "cpu" else f"{text[:-1]}, device='{device}')"


def array_repr(arr: ArrayLike, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None) -> str:
    """The text `array([1, 2])` of an array; a device other than the CPU is shown. Without data: `array(..., shape=(2,), ...)`.

    Shapes: any.
    """
    if _C._is_array(arr) and str(arr.device) == "meta":
        name = "array" if type(arr) is _C.ndarray else type(arr).__name__
        return f"{name}(..., shape={arr.shape}, dtype={arr.dtype}, device='meta')"
    host = _host(arr)
    if _C._is_ndarray(arr) and type(arr) is not _C.ndarray:
        host = host.view(_class_named(type(arr).__name__))  # which lines are indented by
    return _with_device(_numpy.array_repr(host, max_line_width, precision, suppress_small), arr)


@functools.cache
def _class_named(name):
    return type(name, (_numpy.ndarray,), {})


def array_str(a: ArrayLike, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None) -> str:
    """The values of an array as text, without its type. Shapes: any."""
    return _numpy.array_str(_host(a), max_line_width, precision, suppress_small)


@functools.wraps(_numpy.array2string, assigned=("__doc__", "__name__"))
def array2string(a: ArrayLike, *args: Any, **kwargs: Any) -> str:
    return _numpy.array2string(_host(a), *args, **kwargs)


array2string.__signature__ = inspect.signature(_numpy.array2string)  # type: ignore[attr-defined]


def _str(a):
    if str(a.device) == "meta":
        return "..."
    host = _host(a)
    return str(host[()]) if host.ndim == 0 else _numpy.array_str(host)
