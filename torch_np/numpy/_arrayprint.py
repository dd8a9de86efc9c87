"""Text of arrays, by NumPy's formatter over the same memory."""
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
    """Returns a NumPy view of `a` for the formatter. An array on a GPU is copied whole, as printing
    needs its values.
    """
    if not _C._is_array(a):
        return a
    return _C._numpy_view(a)


def _with_device(text, a):
    device = getattr(a, "device", "cpu")
    return text if str(device) == "cpu" else f"{text[:-1]}, device='{device}')"


def array_repr(arr: ArrayLike, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None) -> str:
    """Returns the text of an array with its type, `array([1, 2])`, and its device if it is not the
    CPU. An array without data is `array(..., shape=(2,), ...)`.

    Args:
      arr: The array.
      max_line_width: Characters in a line; None is the print option.
      precision: Number of decimal digits; None is the print option.
      suppress_small: Whether small numbers are printed as zero; None is the print option.

    Shapes: any.
    """
    if _C._is_array(arr) and str(arr.device) == "meta":
        name = "array" if type(arr) is _C.ndarray else type(arr).__name__
        return f"{name}(..., shape={arr.shape}, dtype={arr.dtype}, device='meta')"
    host = _host(arr)
    if _C._is_ndarray(arr) and type(arr) is not _C.ndarray:
        # the formatter indents lines by the length of the class name
        host = host.view(_class_named(type(arr).__name__))
    return _with_device(_numpy.array_repr(host, max_line_width, precision, suppress_small), arr)


@functools.cache
def _class_named(name):
    return type(name, (_numpy.ndarray,), {})


def array_str(a: ArrayLike, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None) -> str:
    """Returns the values of an array as text, without its type.

    Args:
      a: The array.
      max_line_width: Characters in a line; None is the print option.
      precision: Number of decimal digits; None is the print option.
      suppress_small: Whether small numbers are printed as zero; None is the print option.

    Shapes: any.
    """
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
