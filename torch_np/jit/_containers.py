"""isinstance() for types of containers with types of their elements."""
from __future__ import annotations

import builtins
import types
import typing
from typing import Any


def _matches(obj: Any, target: Any) -> bool:
    if target is Any:
        return True
    if target is None:
        return obj is None
    origin, arguments = typing.get_origin(target), typing.get_args(target)
    if target in (list, tuple, dict, typing.List, typing.Tuple, typing.Dict, typing.Optional):  # noqa: UP006
        raise RuntimeError(f"jit.isinstance(): {target} needs the types of its elements, for example List[int]")
    if origin is None:
        return builtins.isinstance(obj, target)
    if origin in (typing.Union, types.UnionType):
        return any(_matches(obj, argument) for argument in arguments)
    if origin is list:
        return builtins.isinstance(obj, list) and all(_matches(item, arguments[0]) for item in obj)
    if origin is dict:
        return builtins.isinstance(obj, dict) and all(
            _matches(key, arguments[0]) and _matches(value, arguments[1]) for key, value in obj.items())
    if origin is tuple:
        if not builtins.isinstance(obj, tuple):
            return False
        if arguments == ((),) or not arguments:
            return len(obj) == 0
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return all(_matches(item, arguments[0]) for item in obj)
        return len(obj) == len(arguments) and all(_matches(item, argument) for item, argument in zip(obj, arguments))
    return builtins.isinstance(obj, origin)


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001  (PyTorch's name)
    """Whether `obj` is of a type, which may be one of containers: `List[int]`, `Optional[Tensor]`.

    Args:
      obj: Any object.
      target_type: A type, or a tuple of types.

    Errors: RuntimeError for a container type without the types of its elements.
    """
    if builtins.isinstance(target_type, tuple):
        return any(_matches(obj, one) for one in target_type)
    return _matches(obj, target_type)
