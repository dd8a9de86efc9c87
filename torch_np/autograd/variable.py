"""PyTorch's legacy names `Variable` and `variable`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from torch_np import _C


class VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor)


class _Engine:
    """PyTorch's private name of the engine, whose callbacks programs queue."""

    @staticmethod
    def queue_callback(callback: Callable[[], None]) -> None:
        """Calls `callback()` at the end of the backward pass that this thread executes."""
        _C._queue_callback(callback)


class Variable(metaclass=VariableMeta):
    """Legacy constructor: `Variable(tensor, requires_grad=False)` returns a leaf over the memory of
    `tensor`. Every Tensor is an instance.

    Args:
      data: A Tensor.
      requires_grad: Whether the leaf requires a gradient.
    """

    _execution_engine: ClassVar[Any] = _Engine

    def __new__(cls, data: _C.Tensor, requires_grad: bool = False) -> _C.Tensor:  # type: ignore[misc]
        leaf = data.detach()
        return leaf.requires_grad_() if requires_grad else leaf


def variable(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError, as in PyTorch; use `torch_np.tensor`."""
    raise RuntimeError("torch_np.autograd.variable(...) is deprecated, use torch_np.tensor(...) instead")
