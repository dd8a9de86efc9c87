"""torch_np.utils._python_dispatch: modes that see operators below autograd, and tensor subclasses
that compute them.

`torch_np.overrides.TorchFunctionMode` sees the calls of functions above autograd.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING as TYPE_CHECKING, Any, Protocol

from torch_np import _C
from torch_np._transforms import dispatch

__all__ = [
    "AliasInfo", "BaseTorchDispatchMode", "SchemaInfo", "TensorWithFlatten", "TorchDispatchMode", "TraceableWrapperSubclass",
    "any_torch_dispatch_mode_on_stack", "autograd_would_have_decomposed", "get_alias_info", "is_in_any_mode_without_ignore_compile_internals",
    "is_in_torch_dispatch_mode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type", "return_and_correct_aliasing",
    "transform_subclass",
]


class TorchDispatchMode:
    """Base class of modes. Within `with mode:`, each operator that this thread runs is
    `mode.__torch_dispatch__(func, types, args, kwargs)` instead, below autograd. `func` is the operator
    under PyTorch's name: `torch_np.ops.aten.add.Tensor`.

    The mode is off while its method runs, so that it may call `func(*args, **kwargs)`; the next
    outer mode then sees the call. Autograd does not record what the method computes.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key: Any = None) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.__torch_dispatch__() is not defined")

    def __enter__(self) -> Any:
        dispatch.push_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        dispatch.pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Returns a mode of this class: PyTorch's older way to enter one.

        Args:
          args: Arguments of the class.
          kwargs: Arguments of the class by keyword.
        """
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether the mode is a part of PyTorch's compiler: False."""
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Whether the mode is off within compiled functions: False."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that only passes on the calls."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@dataclass
class AliasInfo:
    """How an argument or a result shares memory, in PyTorch's schemas."""

    alias_set: set[str]
    is_write: bool
    name: str | None


@dataclass
class SchemaInfo:
    """The sharing of memory of all arguments and results of an operator."""

    args: list[AliasInfo]
    outs: list[AliasInfo]
    int_tags: tuple[str, ...] = field(default=())


class TensorWithFlatten(Protocol):
    """Tensors that say of which tensors they consist."""

    def __tensor_flatten__(self) -> tuple[Any, object]: ...

    @staticmethod
    def __tensor_unflatten__(inner_tensors: Any, flatten_spec: Any, outer_size: Any, outer_stride: Any) -> Any: ...


TraceableWrapperSubclass = TensorWithFlatten


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether `t` is a subclass of Tensor with `__tensor_flatten__` and `__tensor_unflatten__`."""
    return issubclass(t, _C.Tensor) and t is not _C.Tensor and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether `t` is an instance of such a class."""
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None) -> Any:
    """Returns a tensor of the same subclass, made of other tensors.

    Args:
      t: The tensor, for which `is_traceable_wrapper_subclass` is true.
      callback: Function of the name and the value of an attribute that returns the new value.
      outer_size: Shape of the result; None is that of `t`.
      outer_stride: Its strides; None is those of `t`.

    Errors: AssertionError if the class gives the result another shape or other strides.
    """
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, spec = t.__tensor_flatten__()
    made = type(t).__tensor_unflatten__({name: callback(name, getattr(t, name)) for name in names}, spec, outer_size, outer_stride)
    if tuple(made.shape) != tuple(outer_size) or tuple(made.stride()) != tuple(outer_stride):
        raise AssertionError(f"{type(t).__name__}.__tensor_unflatten__() returned shape {tuple(made.shape)} and strides {tuple(made.stride())}, "
                             f"expected {tuple(outer_size)} and {tuple(outer_stride)}")
    return made


def get_alias_info(func: Any) -> SchemaInfo:
    """Returns how the arguments and results of an operator share memory.

    Args:
      func: The operator: `torch_np.ops.aten.view.default`.
    """
    schema = func._schema
    args, outs = ([AliasInfo(set(a.alias_info.before_set) if a.alias_info else set(), bool(a.alias_info and a.alias_info.is_write),
                             a.name or None) for a in part] for part in (schema.arguments, schema.returns))
    return SchemaInfo(args, outs)


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """Returns what an operator in `__torch_dispatch__` must return: the argument that it changed in
    place, or `out`. Autograd learns by itself which results are views.

    Args:
      func: The operator.
      args: Its arguments.
      kwargs: Its arguments by keyword.
      out: The computed result.
    """
    changed = dispatch._changed(func, list(args), kwargs or {})
    return out if not changed else changed[0] if len(changed) == 1 else tuple(changed)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode of this thread is active.

    Args:
      include_infra_modes: Has no effect.
    """
    return bool(dispatch.modes())


def any_torch_dispatch_mode_on_stack(*, include_infra_modes: bool = True) -> bool:
    """Whether a mode of this thread is active.

    Args:
      include_infra_modes: Has no effect.
    """
    return bool(dispatch.modes())


def is_in_any_mode_without_ignore_compile_internals() -> bool:
    """Whether a mode of this thread is active that stays on within compiled functions."""
    return any(not mode.ignore_compile_internals() for mode in dispatch.modes())


def autograd_would_have_decomposed(func: Any, flat_args: Any) -> bool:
    """Whether PyTorch's autograd would make the operator of others for these arguments.

    Args:
      func: The operator.
      flat_args: All of its arguments.
    """
    return getattr(func, "_is_composite", False) and any(isinstance(a, _C.Tensor) and a.requires_grad for a in flat_args)


def _get_current_dispatch_mode() -> Any:
    """The innermost mode of this thread; None if there is none."""
    return (dispatch.modes() or [None])[-1]


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes of this thread, the innermost last."""
    return dispatch.modes()


def _push_mode(mode: Any) -> None:
    """Makes a mode the innermost one of this thread."""
    dispatch.push_mode(mode)


def _pop_mode(k: Any = None) -> Any:
    """Ends the innermost mode of this thread, and returns it."""
    return dispatch.pop_mode()


@contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    """A context in which the innermost mode is off; its value is the mode."""
    mode = dispatch.pop_mode()
    try:
        yield mode
    finally:
        dispatch.push_mode(mode)


_disable_current_modes = dispatch.without_modes
