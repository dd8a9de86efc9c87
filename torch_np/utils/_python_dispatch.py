"""torch_np.utils._python_dispatch: the names of PyTorch's hook below autograd.

Operators are not dispatched to Python here: no mode can be entered, and none is ever active.
`torch_np.overrides.TorchFunctionMode` sees the calls of functions above autograd.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING as TYPE_CHECKING, Any, NoReturn, Protocol

from torch_np import _C
from torch_np._absent import absent_function

__all__ = [
    "AliasInfo", "BaseTorchDispatchMode", "SchemaInfo", "TensorWithFlatten", "TorchDispatchMode", "TraceableWrapperSubclass",
    "any_torch_dispatch_mode_on_stack", "autograd_would_have_decomposed", "get_alias_info", "is_in_any_mode_without_ignore_compile_internals",
    "is_in_torch_dispatch_mode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type", "return_and_correct_aliasing",
    "transform_subclass",
]

_REASON = "operators are not dispatched to Python; torch_np.overrides.TorchFunctionMode sees the calls of functions"



class TorchDispatchMode:
    """Base class of modes below autograd. It can be subclassed, and entering it raises
    NotImplementedError.
    """

    supports_higher_order_operators = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> NoReturn:
        raise NotImplementedError(f"TorchDispatchMode: {_REASON}")

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__}: {_REASON}")

    def __exit__(self, *exception: object) -> None:
        pass


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that only passes on the calls. Entering it raises NotImplementedError."""


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
    int_tags: tuple[str, ...] = ()


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


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """False: no mode is ever active."""
    return False


def any_torch_dispatch_mode_on_stack(*, include_infra_modes: bool = True) -> bool:
    """False: no mode is ever active."""
    return False


def is_in_any_mode_without_ignore_compile_internals() -> bool:
    """False: no mode is ever active."""
    return False


def autograd_would_have_decomposed(func: Any, flat_args: Any) -> bool:
    """False: operators are never decomposed for a mode."""
    return False


get_alias_info = absent_function("get_alias_info", _REASON, __name__)
return_and_correct_aliasing = absent_function("return_and_correct_aliasing", _REASON, __name__)
transform_subclass = absent_function("transform_subclass", _REASON, __name__)


def _get_current_dispatch_mode() -> None:
    """None: no mode is ever active."""
    return None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The active modes: none."""
    return []
