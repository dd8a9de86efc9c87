"""Operators in Python with a custom forward and backward."""
from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy

from torch_np import _C, _public_names
from torch_np._absent import absent_class
from torch_np._C import FunctionCtx as FunctionCtx

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction", "once_differentiable"]

_Result = TypeVar("_Result")


def _saved_variables(self: FunctionCtx) -> tuple[Any, ...]:
    """`saved_tensors` by its former name, which is deprecated."""
    warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
    return self.saved_tensors


setattr(FunctionCtx, "saved_variables", property(_saved_variables))


class BackwardCFunction(_C.Node):
    """Base class of the nodes of Functions: `x.grad_fn` is an instance after `x = Exp.apply(y)`. The class of the node knows
    its Function: `type(x.grad_fn)._forward_cls`.
    """

    __slots__ = ()
    _forward_cls: type[Function]


class FunctionMeta(type):
    """The class of Function and its subclasses. A subclass may name its method `backward` or `vjp`."""

    _node_class: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        super().__init__(name, bases, members)
        if bases and "vjp" in members:
            setattr(cls, "backward", staticmethod(_both_defined) if "backward" in members else members["vjp"])

    @property
    def _backward_cls(cls) -> type[BackwardCFunction]:
        """The class of this Function's nodes."""
        if "_node_class" not in cls.__dict__:
            cls._node_class = type(f"{cls.__name__}Backward", (BackwardCFunction,), {
                "__slots__": (), "__module__": f"{_public_names.public}.autograd.function", "_forward_cls": cls})
        return cls._node_class


def _both_defined(ctx: Any, *grad_outputs: Any) -> Any:
    raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them.")


class Function(metaclass=FunctionMeta):
    """Base class of operators with a custom derivative.

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

    `forward` runs without recording. `backward` receives one gradient for each output, and returns
    one for each argument of forward (None for arguments that are not arrays). Both types of arrays
    are accepted; the result has the type of the first array argument. A class that defines
    `setup_context(ctx, inputs, output)` has a forward without `ctx`.
    """

    setup_context: Any = None

    @staticmethod
    def forward(*args: Any) -> Any:
        """Computes the results. Classes override it.

        Args:
          args: The context, unless the class defines `setup_context`, and the arguments of `apply`.

        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises RuntimeError: a Function is not called but applied, by `apply`.

        Args:
          args: Ignored.
          kwargs: Ignored.
        """
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
                           "with static forward method: its class method apply() runs it.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Computes the gradients of the arguments from those of the outputs. Classes override it.

        Args:
          ctx: The context of the call.
          grad_outputs: Gradients of the outputs.

        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function to use it "
                                  "with backward mode AD.")

    generate_vmap_rule = False  # vmap calls the function with each sample

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Computes the tangents of the outputs, for forward-mode derivatives. Classes override it.

        Args:
          ctx: The context of the call. Its `saved_tensors` are those of `save_for_forward`.
          grad_inputs: Tangents of the arguments; None for those that are not tensors.

        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Computes the results of a batch. It is not called: vmap calls `apply` with each sample.

        Args:
          info: Size of the batch, and kind of random numbers.
          in_dims: Dimensions of the batch in the arguments.
          args: Arguments of forward.

        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Runs forward and records the call. Returns the results of forward.

        Args:
          args: Arguments of forward.

        Shapes: those of forward; each gradient as its array.
        """
        if cls.setup_context is not None:
            args = _with_defaults(cls.forward, args)
        if any(map(_C._is_sparse, args)):
            from torch_np.sparse import _autograd

            _autograd.check_arguments(args)
        if any(map(_C._is_wrapped, args)):
            from torch_np._transforms.dual import function as of_duals

            level = of_duals.level_of(args)
            if level is not None:
                return of_duals.apply(level, cls, args)
        results = _C._function_apply(cls, args)
        if _C._is_sparse(results) or type(results) is tuple and any(map(_C._is_sparse, results)):
            from torch_np.sparse import _autograd

            _autograd.check_results(args)
        return results


def _with_defaults(forward: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call of forward, with the defaults of those that are missing. setup_context receives all."""
    defaults = getattr(forward, "__defaults__", None) or ()
    code = getattr(forward, "__code__", None)
    if not defaults or code is None:
        return args
    missing = code.co_argcount - isinstance(forward, types.MethodType) - len(args)
    return args + defaults[len(defaults) - missing:] if 0 < missing <= len(defaults) else args


class InplaceFunction(Function):
    """A Function with the attribute `inplace`. It marks arguments that it changes by
    `ctx.mark_dirty`.

    Args:
      inplace: whether the function changes its argument
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


NestedIOFunction = absent_class("NestedIOFunction", "functions of nested arguments are not implemented; use Function with a flat list of "
                                "tensors", __name__)


def once_differentiable(backward: Callable[..., _Result]) -> Callable[..., _Result]:
    """Decorates a `backward` that is not differentiable itself. A second differentiation raises
    RuntimeError instead of giving wrong numbers.

    Args:
      backward: The function.
    """

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
    """Returns its first argument; its derivative raises RuntimeError."""

    @staticmethod
    def forward(ctx, value, *grads):
        return value

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
