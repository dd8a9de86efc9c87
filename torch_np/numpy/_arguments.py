"""Conversion of arguments that have several forms."""
from __future__ import annotations

import operator
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _native as nx


def shape_of(numbers: Any) -> tuple[int, ...]:
    """Converts a shape, strides or axes to a tuple: one number (or a 0-d array), or a sequence or
    array of numbers.

    Errors: TypeError for elements that are not integers.
    """
    if type(numbers) is int:
        return (numbers,)
    try:
        each = iter(numbers)
    except TypeError:
        return (operator.index(numbers),)
    return tuple(map(operator.index, each))


def of_class(view: _C.ndarray, original: Any) -> _C.ndarray:
    """Returns `view`, made from `original`, as an array of the class of `original`, as `subok=True`
    requires.
    """
    if not _C._is_ndarray(original) or type(original) is _C.ndarray:
        return view
    result = view.view(type(original))
    result.__array_finalize__(original)
    return result


def written_array(function: str, argument: str, value: Any) -> _C.ndarray:
    """Returns an array that a function writes to; a NumPy array becomes an ndarray over the same
    memory. Errors: TypeError for anything else, NotHeldError for NumPy arrays that the engine
    cannot view.
    """
    array = _C._held(value)
    is_scalar = array is value and _C._stands_for_scalar(value)
    if _C._is_ndarray(array) and not is_scalar:
        return array
    if isinstance(value, _numpy.ndarray):
        raise _C.NotHeldError(f"{_C._calling_function(function)}{function}(): the engine does not support arrays of {value.dtype}, or not this layout")
    raise TypeError(f"{_C._calling_function(function)}{function}(): argument '{argument}' must be an array, not {value.dtype if is_scalar else type(value).__name__}")


def check_out_shape(out: Any, result: Any, function: str = "") -> None:
    """Checks the shape of `out`, to which `function` writes `result`. Errors: ValueError unless the
    shapes are equal.
    """
    given, wanted = tuple(nx.asarray(out).shape), tuple(result.shape)
    if given != wanted:
        raise ValueError(f"{function and function + '(): '}out has shape {given}, but the result has shape {wanted}")


def device_of(function: str, device: Any, _device: Any) -> Any:
    """Returns the device given by NumPy's argument `device` or by `_device`. Errors: TypeError if
    both are given.
    """
    if device is not None and _device is not None:
        raise TypeError(f"{function}() got multiple values for argument 'device'")
    return _device if device is None else device
