"""`__torch_function__` for functions in Python, and tests for objects that have it."""
from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from torch_np import _C
from torch_np._transforms.dispatch import reentrant
from torch_np.overrides._modes import _pop_mode_temporarily

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Skips(threading.local):
    """Whether `redispatch_function` made the next test for overrides fail."""

    next = False


_skips = _Skips()


def _is_skipped() -> bool:
    skipped, _skips.next = _skips.next, False
    return skipped


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether a mode is active, or an argument is of a class that overrides functions.

    Args:
      relevant_args: The arguments.
    """
    return not _is_skipped() and _C._has_torch_function(tuple(relevant_args))


def has_torch_function_unary(relevant_arg: Any, /) -> bool:
    """Whether a mode is active, or the argument is of a class that overrides functions.

    Args:
      relevant_arg: The argument.
    """
    return not _is_skipped() and _C._has_torch_function_unary(relevant_arg)


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """Whether a mode is active, or an argument is of a class that overrides functions.

    Args:
      relevant_args: The arguments.
    """
    return not _is_skipped() and _C._has_torch_function_variadic(*relevant_args)


def is_tensor_like(inp: Any) -> bool:
    """Whether `inp` is a Tensor, or an object whose class has `__torch_function__`.

    Args:
      inp: Any object.
    """
    return type(inp) is _C.Tensor or hasattr(type(inp), "__torch_function__")


def _get_overloaded_args(relevant_args: Iterable[Any], get_type_fn: Callable[[Any], type] = type) -> list[Any]:
    """The arguments that override functions, one of each class: classes before their base classes,
    otherwise in order.
    """
    if not _C._is_torch_function_enabled():
        return []
    found: list[Any] = []
    classes: list[type] = []
    for arg in relevant_args:
        kind = get_type_fn(arg)
        implementation = getattr(kind, "__torch_function__", None)
        if kind in classes or kind is _C.Tensor or implementation is None or implementation is _C._disabled_torch_function_impl:
            continue
        place = next((i for i, other in enumerate(classes) if issubclass(kind, other)), len(classes))
        found.insert(place, arg)
        classes.insert(place, kind)
    return found


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Returns what a mode or the class of an argument gives in place of a call.

    A function in Python that `__torch_function__` may override begins with: `if
    has_torch_function((x, y)): return handle_torch_function(f, (x, y), x, y)`.

    Args:
      public_api: The function that was called.
      relevant_args: Arguments whose classes are asked.
      args: Arguments of the call.
      kwargs: Arguments of the call by keyword.

    Errors: TypeError if all of them return NotImplemented.
    """
    overloaded = _get_overloaded_args(relevant_args)
    types = tuple(map(type, overloaded))
    declined: list[Any] = []
    if _C._is_torch_function_mode_enabled():
        with _pop_mode_temporarily() as mode:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
        declined.append(mode)
    for arg in overloaded:
        result = arg.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
        declined.append(type(arg))
    if not declined:  # plain tensors, or a context without overrides
        with _C.DisableTorchFunctionSubclass():
            return public_api(*args, **kwargs)
    raise TypeError(f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
                    f"__torch_function__: {declined}")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[_Function], _Function]:
    """Returns a decorator that makes a function overridable by `__torch_function__`.

    Args:
      dispatcher: Function of the arguments that returns those whose classes are asked.
    """
    def decorator(function: _Function) -> _Function:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)
        return wrapped  # type: ignore[return-value]
    return decorator


def redispatch_function(func: Callable[..., Any], types: Iterable[type], args: Iterable[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Calls a function from within `__torch_function__` without asking the classes of its arguments
    again. The calls that a function in Python makes do ask them.

    Args:
      func: The function.
      types: Has no effect.
      args: Its arguments.
      kwargs: Its arguments by keyword.
    """
    kwargs = kwargs or {}
    if getattr(func, "__code__", None) is None or (getattr(func, "__module__", "") or "").partition(".")[0] == "torch_np":
        with _C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    _skips.next = True
    try:
        return func(*args, **kwargs)
    finally:
        _skips.next = False


def enable_reentrant_dispatch() -> contextlib.AbstractContextManager[None]:
    """A context within `__torch_dispatch__` in which autograd records operators again."""
    return reentrant()
