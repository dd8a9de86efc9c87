"""Modes: objects that see every call of a thread, on a stack in the engine."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch_np import _C


class TorchFunctionMode:
    """Base class of modes. Within `with mode:`, each call of a function, method or operator of the
    PyTorch face by this thread is `mode.__torch_function__(func, types, args, kwargs)` instead.

    The mode is off while its method runs, so that it may call `func(*args, **kwargs)`; the next
    outer mode then sees the call.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.__torch_function__() is not defined")

    def __enter__(self) -> Any:
        _C._push_on_torch_function_stack(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _C._pop_torch_function_stack()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Returns a mode of this class: PyTorch's older way to enter one.

        Args:
          args: Arguments of the class.
          kwargs: Arguments of the class by keyword.
        """
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that only passes on the calls."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> Any:
    """The innermost mode of this thread; None if there is none."""
    depth = _C._len_torch_function_stack()
    return _C._get_function_stack_at(depth - 1) if depth else None


def _get_current_function_mode_stack() -> list[Any]:
    """The modes of this thread, the innermost last."""
    return [_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack())]


@contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """A context in which the innermost mode is off; its value is the mode."""
    mode = _C._pop_torch_function_stack()
    try:
        yield mode
    finally:
        _C._push_on_torch_function_stack(mode)
