"""Helpers of PyTorch's nn.functional that are not functions of tensors, but that programs import.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch_np import Tensor

__all__ = ["assert_int_or_pair", "boolean_dispatch", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
           "has_torch_function_variadic"]


def _overrides(argument: object) -> bool:
    """Whether the argument's class defines its own `__torch_function__`."""
    kind = type(argument)
    return kind is not Tensor and hasattr(kind, "__torch_function__") and (
        getattr(kind, "__torch_function__") is not getattr(Tensor, "__torch_function__", None))


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether the class of any argument defines its own `__torch_function__`.

    Args:
      relevant_args: the arguments
    """
    return any(map(_overrides, relevant_args))


def has_torch_function_unary(argument: object, /) -> bool:
    """Whether the argument's class defines its own `__torch_function__`.

    Args:
      argument: the argument
    """
    return _overrides(argument)


def has_torch_function_variadic(*args: object) -> bool:
    """Whether the class of any argument defines its own `__torch_function__`.

    Args:
      args: the arguments
    """
    return any(map(_overrides, args))


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Dispatches a call of `public_api` to the `__torch_function__` of its arguments.

    Methods of subclasses are tried before those of their bases, otherwise in the order of the
    arguments, until one does not return NotImplemented. If all arguments are plain Tensors,
    `public_api` itself is called.

    Args:
      public_api: the function
      relevant_args: arguments to dispatch on
      args: arguments of the call
      kwargs: keyword arguments of the call

    Errors: TypeError if every method returns NotImplemented.
    """
    found: list[Any] = []
    relevant_args = list(relevant_args)
    for argument in relevant_args:
        if _overrides(argument) and all(type(argument) is not type(other) for other in found):
            places = [i for i, other in enumerate(found) if issubclass(type(argument), type(other))]
            found.insert(places[0] if places else len(found), argument)
    if not found and any(isinstance(argument, Tensor) for argument in relevant_args):
        return public_api(*args, **kwargs)
    kinds = tuple(map(type, found))
    for argument in found:
        result = type(argument).__torch_function__(public_api, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
                    f"__torch_function__: {list(kinds)}")


def boolean_dispatch(arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any],
                     module_name: str | None, func_name: str | None) -> Callable[..., Any]:
    """A function that calls `if_true` or `if_false`, according to a bool argument.

    Args:
      arg_name: name of the argument
      arg_index: position of the argument
      default: value to use if the argument is not given
      if_true: function for True
      if_false: function for False
      module_name: module of the result
      func_name: name of the result
    """
    def chosen(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs.get(arg_name, default)
        if len(args) > arg_index:
            flag = args[arg_index]
        return (if_true if flag else if_false)(*args, **kwargs)
    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    if module_name is not None:
        chosen.__module__ = module_name
    if func_name is not None:
        chosen.__name__ = func_name
    return chosen


def assert_int_or_pair(arg: list[int], arg_name: str, message: str) -> None:
    """Checks that `arg` is an int or has two items.

    Args:
      arg: the value
      arg_name: name of the argument for the message
      message: format of the message

    Errors: AssertionError if `arg` is neither.
    """
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))
