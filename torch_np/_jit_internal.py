"""Markers of functions that programs for PyTorch's script compiler use. There is no such compiler
here, so the markers keep the function as it is.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final as Final, TypeVar

from torch_np.futures import Future as Future

_F = TypeVar("_F", bound=Callable[..., Any])


class FunctionModifiers:
    """Values of the attribute `_torchscript_modifier` that the markers set."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    DEFAULT = "default (compile if called from a exported function / forward)"
    COPY_TO_SCRIPT_WRAPPER = "if this method is not scripted, copy the python method onto the scripted model"
    _DROP = "_drop (function is fully ignored, declaration can be unscriptable)"


def is_scripting() -> bool:
    """Returns False: functions are always run by Python."""
    return False


def export(fn: _F) -> _F:
    """Marks a method that the script compiler must compile; returns it.

    Args:
      fn: The method.
    """
    fn._torchscript_modifier = FunctionModifiers.EXPORT  # type: ignore[attr-defined]
    return fn


def unused(fn: Any) -> Any:
    """Marks a function or property that the script compiler must not compile; returns it.

    Args:
      fn: The function or property.
    """
    if isinstance(fn, property):
        for part in (fn.fget, fn.fset):
            if part is not None:
                part._torchscript_modifier = FunctionModifiers.UNUSED  # type: ignore[union-attr]
        return fn
    fn._torchscript_modifier = FunctionModifiers.UNUSED
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Marks a function that the script compiler must leave to Python; returns it. It is used with and
    without parentheses.

    Args:
      drop: The function, or whether the compiler replaces it by an error.
      kwargs: Only `drop_on_export`, an older name of `drop`.

    Errors: TypeError for another keyword; RuntimeError if `drop` is neither a function nor a bool.
    """
    if callable(drop):
        drop._torchscript_modifier = FunctionModifiers.IGNORE
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    drop = kwargs.pop("drop_on_export", drop)
    if kwargs:
        raise TypeError(f"ignore() got an unexpected keyword argument '{next(iter(kwargs))}'")
    modifier = FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE

    def mark(fn: _F) -> _F:
        fn._torchscript_modifier = modifier  # type: ignore[attr-defined]
        return fn
    return mark


def _drop(fn: _F) -> _F:
    fn._torchscript_modifier = FunctionModifiers._DROP  # type: ignore[attr-defined]
    return fn


def _copy_to_script_wrapper(fn: _F) -> _F:
    fn._torchscript_modifier = FunctionModifiers.COPY_TO_SCRIPT_WRAPPER  # type: ignore[attr-defined]
    return fn


def is_ignored_fn(fn: Any) -> bool:
    """Whether `ignore` or `unused` marked the function."""
    return getattr(fn, "_torchscript_modifier", None) in (
        FunctionModifiers.UNUSED, FunctionModifiers.IGNORE, FunctionModifiers._DROP)


def _overload(func: _F) -> _F:
    """Marks a declaration of a signature, which the definition of the function replaces."""
    return func


_overload_method = _overload


def boolean_dispatch(arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any],
                     module_name: str | None, func_name: str | None) -> Callable[..., Any]:
    """Returns a function that calls one of two functions, by the value of a bool argument.

    Args:
      arg_name: Name of the argument.
      arg_index: Its position.
      default: Its value if it is not given.
      if_true: Function for True.
      if_false: Function for False.
      module_name: `__module__` of the result; None keeps this module.
      func_name: `__name__` of the result; None keeps the name of `if_true`.
    """
    @functools.wraps(if_true)
    def fn(*args: Any, **kwargs: Any) -> Any:
        chosen = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return if_true(*args, **kwargs) if chosen else if_false(*args, **kwargs)
    if module_name is not None:
        fn.__module__ = module_name
    if func_name is not None:
        fn.__name__ = func_name
    return fn


class _BroadcastingList:
    """Annotation of a list of n elements that may be given as one number: `BroadcastingList2[int]`."""

    def __getitem__(self, item: Any) -> None:
        return None


BroadcastingList1 = _BroadcastingList()
BroadcastingList2, BroadcastingList3, BroadcastingList4, BroadcastingList5, BroadcastingList6 = (_BroadcastingList() for _ in range(5))


def get_callable_argument_names(fn: Any) -> list[str]:
    """Names of the positional arguments of a function; an empty list if it has no signature."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
