"""Nodes and functions of the graph that PyTorch writes in C++."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np.autograd.function import Function

__all__ = ["AccumulateGrad", "DelayedError", "UndefinedGrad"]


def _class_of_leaves() -> type[_C.Node]:
    node = _C._torch.ones(1, device="cpu", requires_grad=True).view(1).grad_fn
    assert node is not None and node.next_functions[0][0] is not None
    return type(node.next_functions[0][0])


AccumulateGrad = _class_of_leaves()


class _Delayed(Function):
    """The identity, whose derivative raises an error."""

    @staticmethod
    def forward(ctx: Any, message: str, *tensors: _C.Tensor) -> tuple[_C.Tensor, ...]:
        ctx.message = message
        return tuple(t.detach() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.message)


class DelayedError:
    """A function that returns its tensors, and whose derivative raises RuntimeError.

    Args:
      msg: Text of the error, a str or bytes.
      num_inputs: Number of tensors.
    """

    def __init__(self, msg: str | bytes, num_inputs: int) -> None:
        self._message = msg.decode() if isinstance(msg, bytes) else msg

    def __call__(self, *inputs: _C.Tensor) -> Any:
        """Returns the tensors: one, or a tuple.

        Args:
          inputs: The tensors.

        Shapes: unchanged.
        """
        results = _Delayed.apply(self._message, *inputs)
        return results[0] if len(results) == 1 else results


class _Undefined(Function):
    """The identity, without a derivative."""

    @staticmethod
    def forward(ctx: Any, *tensors: _C.Tensor) -> tuple[_C.Tensor, ...]:
        return tuple(t.detach() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None,) * len(grads)


class UndefinedGrad:
    """A function that returns its tensors, to which no gradient flows back."""

    def __call__(self, *inputs: _C.Tensor) -> Any:
        """Returns the tensors: one, or a tuple.

        Args:
          inputs: The tensors.

        Shapes: unchanged.
        """
        results = _Undefined.apply(*inputs)
        return results[0] if len(results) == 1 else results
