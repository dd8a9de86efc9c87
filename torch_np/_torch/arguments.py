"""Reading the tensor arguments of what is composed in Python."""
from __future__ import annotations

from typing import Any

from torch_np import _C


def as_array(function: str, argument: str, value: Any) -> _C.ndarray:
    """A tensor seen as an array of the other face. Errors: TypeError unless it is one."""
    if isinstance(value, _C.Tensor):
        return value._np_compat()
    if _C._is_ndarray(value):
        return value
    raise TypeError(f"{_C._calling_function(function)}{function}(): argument '{argument}' must be Tensor, not {type(value).__name__}")


def as_tensor(result: Any) -> _C.Tensor:
    """What a composition of the other face gave, an array or NumPy's scalar in place of one without axes, as a tensor."""
    return result._torch() if _C._is_ndarray(result) else _C._torch.as_tensor(result)
