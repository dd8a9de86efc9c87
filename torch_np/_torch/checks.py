"""PyTorch's checks of conditions, which libraries call: `torch_np._check(n > 0, lambda: f"n is {n}")`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import _C

_Message = str | Callable[[], object] | None


def _raise_unless(error: type[Exception], cond: Any, message: _Message) -> None:
    if not isinstance(cond, bool):
        hint = "; for tensors of conditions use torch_np._check_tensor_all()" if isinstance(cond, _C.Tensor) else ""
        raise TypeError(f"cond must be a bool, but got {type(cond)}{hint}")
    if not cond:
        raise error("Expected cond to be True, but got False." if message is None else str(message() if callable(message) else message))


def _check_with(error_type: type[Exception], cond: bool, message: _Message) -> None:
    """Raises an error of the class `error_type` unless a condition holds.

    Args:
      error_type: The class.
      cond: The condition.
      message: Text of the error, or a function that makes it.
    """
    _raise_unless(error_type, cond, message)


def _check(cond: bool, message: _Message = None) -> None:
    """Raises RuntimeError unless a condition holds.

    Args:
      cond: The condition.
      message: Text of the error, or a function that makes it.
    """
    _raise_unless(RuntimeError, cond, message)


def _check_index(cond: bool, message: _Message = None) -> None:
    """Raises IndexError unless a condition holds. The arguments are those of `_check`."""
    _raise_unless(IndexError, cond, message)


def _check_value(cond: bool, message: _Message = None) -> None:
    """Raises ValueError unless a condition holds. The arguments are those of `_check`."""
    _raise_unless(ValueError, cond, message)


def _check_type(cond: bool, message: _Message = None) -> None:
    """Raises TypeError unless a condition holds. The arguments are those of `_check`."""
    _raise_unless(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: _Message = None) -> None:
    """Raises NotImplementedError unless a condition holds. The arguments are those of `_check`."""
    _raise_unless(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: _C.Tensor, message: _Message = None) -> None:
    """Raises an error of the class `error_type` unless all elements of a bool tensor are True.

    Args:
      error_type: The class.
      cond: The conditions.
      message: Text of the error, or a function that makes it.
    """
    if not isinstance(cond, _C.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != _C.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _raise_unless(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: _C.Tensor, message: _Message = None) -> None:
    """Raises RuntimeError unless all elements of a bool tensor are True.

    Args:
      cond: The conditions.
      message: Text of the error, or a function that makes it.
    """
    _check_tensor_all_with(RuntimeError, cond, message)
