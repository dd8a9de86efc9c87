"""Reading arguments that come in several forms."""
from __future__ import annotations

import operator
from typing import Any

from torch_np import _C


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
    if not isinstance(original, _C.ndarray) or type(original) is _C.ndarray:
        return view
    result = view.view(type(original))
    result.__array_finalize__(original)
    return result


def device_of(function: str, device: Any, _device: Any) -> Any:
    """The device that was named, by NumPy's word for it or by ours. Errors: TypeError for both."""
    if device is not None and _device is not None:
        raise TypeError(f"{function}() got multiple values for argument 'device'")
    return _device if device is None else device
