"""Conversion of tensor arguments and results for functions that are composed in Python."""
from __future__ import annotations

from typing import Any

from torch_np import _C


def as_array(function: str, argument: str, value: Any) -> _C.ndarray:
    """Returns the tensor `value` as an array of the NumPy face.

    Errors: TypeError unless `value` is a tensor or an array.
    """
    if isinstance(value, _C.Tensor):
        return value._np_compat()
    if _C._is_ndarray(value) and not _C._stands_for_scalar(value):
        return value
    raise TypeError(f"{_C._calling_function(function)}{function}(): argument '{argument}' must be Tensor, not {type(value).__name__}")


def as_tensor(result: Any) -> _C.Tensor:
    """Returns the result of a function of the NumPy face as a tensor. A NumPy scalar becomes a 0-d
    tensor.
    """
    return result._torch() if _C._is_ndarray(result) else _C._torch.as_tensor(result)
