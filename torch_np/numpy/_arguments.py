"""Reading arguments that come in several forms."""
from __future__ import annotations

import operator
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx


def shape_of(numbers: Any) -> tuple[int, ...]:
    """A shape, strides or axes: one number (a 0-d array counts as one), or a sequence of them, which an array may be, too.

    Errors: TypeError for what is no integer.
    """
    try:
        each = iter(numbers)
    except TypeError:
        return (operator.index(numbers),)
    return tuple(map(operator.index, each))


def of_class(view: _C.ndarray, original: Any) -> _C.ndarray:
    """`view`, made of `original`, as an array of the class of that: what `subok=True` asks for."""
    if not _C._is_ndarray(original) or type(original) is _C.ndarray:
        return view
    result = view.view(type(original))
    result.__array_finalize__(original)
    return result


def written_array(function: str, argument: str, value: Any) -> _C.ndarray:
    """The array that a function writes to; NumPy's arrays through memory that is theirs and ours. Errors: TypeError for anything else,
    NotHeldError for NumPy's arrays that the engine cannot view."""
    array = _C._held(value)
    if _C._is_ndarray(array):
        return array
    if isinstance(value, _numpy.ndarray):
        raise _C.NotHeldError(f"{_C._calling_function(function)}{function}(): the engine holds no arrays of {value.dtype}, or none of this layout")
    raise TypeError(f"{_C._calling_function(function)}{function}(): argument '{argument}' must be an array, not {type(value).__name__}")


def check_out_shape(out: Any, result: Any, function: str = "") -> None:
    """Errors: ValueError unless `out`, which `function` is to write `result` to, has its shape."""
    given, wanted = tuple(nx.asarray(out).shape), tuple(result.shape)
    if given != wanted:
        raise ValueError(f"{function and function + '(): '}out has shape {given}, but the result has shape {wanted}")


def device_of(function: str, device: Any, _device: Any) -> Any:
    """The device that was named, by NumPy's word for it or by ours. Errors: TypeError for both."""
    if device is not None and _device is not None:
        raise TypeError(f"{function}() got multiple values for argument 'device'")
    return _device if device is None else device
