"""Operators with a forward and a backward of one's own, written in Python."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from torch_np import _C

_Result = TypeVar("_Result")


class Function:
    """Base of operators whose derivative you write.

        class Exp(Function):
            @staticmethod
            def forward(ctx, x):
                result = np.exp(x)
                ctx.save_for_backward(result)
                return result

            @staticmethod
            def backward(ctx, grad):
                result, = ctx.saved_tensors
                return grad * result

        y = Exp.apply(x)

    `forward` runs without recording. `backward` gets one gradient per output and returns one per argument of forward
    (None for those that are no arrays). Both types are taken; the result has the type of the first array argument.
    Define `setup_context(ctx, inputs, output)` to have a forward without `ctx`.
    """

    setup_context: Any = None

    @staticmethod
    def forward(*args: Any) -> Any:
        """What the operator computes: for classes to define. Errors: NotImplementedError if they do not."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments, of those of the outputs: for classes to define. Errors: NotImplementedError if they do not."""
        raise NotImplementedError("You must implement the backward function for your custom autograd.Function to use it "
                                  "with backward mode AD.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Runs forward and records the call. Shapes: those of forward; gradients have the shapes of what they are gradients of."""
        return _C._function_apply(cls, args)


def once_differentiable(backward: Callable[..., _Result]) -> Callable[..., _Result]:
    """Decorates a `backward` that cannot itself be differentiated: doing so raises instead of giving wrong numbers."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        from torch_np.autograd.grad_mode import no_grad

        recording = _C._is_grad_enabled()
        with no_grad():
            results: Any = backward(ctx, *grads)
        if not recording or not any(_requires_grad(g) for g in grads):
            return results
        several = isinstance(results, tuple)
        guarded = tuple(_NotDifferentiable.apply(r, *[g for g in grads if g is not None]) if _is_array(r) or isinstance(r, numpy.generic) else r
                        for r in (results if several else (results,)))
        return guarded if several else guarded[0]

    return wrapper


def _is_array(value: object) -> bool:
    return _C._is_array(value)


def _requires_grad(value):
    return _is_array(value) and (value.requires_grad if isinstance(value, _C.Tensor) else value._requires_grad)


class _NotDifferentiable(Function):
    """Hands its first argument through; its derivative raises."""

    @staticmethod
    def forward(ctx, value, *grads):
        return value

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
