"""What PyTorch's nn.functional has besides functions of tensors: helpers of its own that programs came to import."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch_np import Tensor

__all__ = ["assert_int_or_pair", "boolean_dispatch", "handle_torch_function", "has_torch_function", "has_torch_function_unary",
           "has_torch_function_variadic"]


def _overrides(argument: object) -> bool:
    """Whether the argument's class says itself what functions of tensors do with it."""
    kind = type(argument)
    return kind is not Tensor and hasattr(kind, "__torch_function__") and (
        getattr(kind, "__torch_function__") is not getattr(Tensor, "__torch_function__", None))


def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether an argument has a `__torch_function__` of its own."""
    return any(map(_overrides, relevant_args))


def has_torch_function_unary(argument: object, /) -> bool:
    """`has_torch_function` of one argument."""
    return _overrides(argument)


def has_torch_function_variadic(*args: object) -> bool:
    """`has_torch_function` of these arguments."""
    return any(map(_overrides, args))


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the first argument with a `__torch_function__` of its own, subclasses before their bases, makes of the call of `public_api`;
    the call itself if there is none but Tensors.

    Errors: TypeError if all of them give NotImplemented.
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
    """A function that calls `if_true` or `if_false`, as its argument `arg_name`, at position `arg_index`, says."""
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
    """AssertionError with `message` formatted with `arg_name`, unless `arg` is a number or has two."""
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))
