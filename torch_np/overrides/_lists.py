"""Which functions `__torch_function__` can override, and their names."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from torch_np import _C

# Attributes of every class, and how tensors are made and described.
_NOT_OF_TENSORS = frozenset((
    "__class__", "__delattr__", "__dict__", "__dir__", "__getattribute__", "__hash__", "__init__", "__init_subclass__", "__new__",
    "__setattr__", "__subclasshook__", "__sizeof__", "__torch_function__", "__weakref__", "__class_getitem__", "__getstate__", "_torch",
    "_np_compat", "_repr_html_"))


def _namespaces() -> Iterator[tuple[Any, str]]:
    import torch_np
    from torch_np.nn import functional, init

    yield torch_np, "torch_np"
    yield functional, "torch_np.nn.functional"
    yield init, "torch_np.nn.init"
    yield torch_np.linalg, "torch_np.linalg"
    yield torch_np.fft, "torch_np.fft"
    yield torch_np.special, "torch_np.special"


@functools.cache
def _all() -> tuple[dict[Any, list[Callable[..., Any]]], set[Callable[..., Any]], dict[Any, str]]:
    overridable: dict[Any, list[Any]] = {}
    ignored: set[Any] = set()
    names: dict[Any, str] = {}
    for namespace, full in _namespaces():
        for name, value in list(vars(namespace).items()):
            if name.startswith("_") or isinstance(value, type) or not callable(value):
                continue
            if isinstance(value, _C.Function):
                overridable.setdefault(namespace, []).append(value)
            elif getattr(value, "__module__", "").startswith("torch_np"):
                ignored.add(value)
            else:
                continue
            names.setdefault(value, f"{full}.{name}")
    for name, value in list(vars(_C.Tensor).items()):
        where = f"torch_np.Tensor.{name}"
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType, property)) and name not in _NOT_OF_TENSORS:
            getter: Any = value.__get__
            if isinstance(value, property):  # written in Python: what it calls can be overridden
                ignored.add(getter)
            else:
                overridable[value] = [getter]
            names[getter] = f"{where}.__get__"
            names[value.__set__] = f"{where}.__set__"
        elif isinstance(value, (MethodDescriptorType, WrapperDescriptorType)) and name not in _NOT_OF_TENSORS:
            overridable.setdefault(_C.Tensor, []).append(value)
            names.setdefault(value, where)
        elif callable(value):
            ignored.add(value)
            names.setdefault(value, where)
    return overridable, ignored, names


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """Returns the functions that `__torch_function__` can override: by module, for methods by
    class, and for attributes by their descriptor. Functions in Python are not among them; those
    that they call are.
    """
    return {where: list(functions) for where, functions in _all()[0].items()}


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Returns the public functions and methods that `__torch_function__` cannot override as a
    whole: those written in Python, and those that make or describe tensors.
    """
    return set(_all()[1])


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Returns the attributes whose values keep their class with the default `__torch_function__`.
    """
    return {getattr(_C.Tensor, name).__get__ for name in ("_base", "grad", "_grad") if name in vars(_C.Tensor)}


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Returns for each function that can be overridden a function with the same signature, which
    returns -1.
    """
    def override(function: Any) -> Callable[..., Any]:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return lambda *args, **kwargs: -1

        def testing(*args: Any, **kwargs: Any) -> int:
            signature.bind(*args, **kwargs)
            return -1
        testing.__signature__ = signature  # type: ignore[attr-defined]
        return testing
    return {f: override(f) for functions in _all()[0].values() for f in functions}


def resolve_name(f: Any) -> str | None:
    """Returns the full name of a function, such as 'torch_np.Tensor.add'; None for functions of
    other modules.

    Args:
      f: A function that `__torch_function__` was given.
    """
    try:
        return _all()[2].get(f)
    except TypeError:  # not hashable
        return None


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or the `__get__` of an attribute.

    Args:
      func: A function that `__torch_function__` was given.
    """
    if getattr(func, "__name__", None) == "__get__":
        return True
    return any(func is f for f in _all()[0].get(_C.Tensor, ())) or (resolve_name(func) or "").startswith("torch_np.Tensor.") and (
        getattr(func, "__name__", "") != "__set__")
