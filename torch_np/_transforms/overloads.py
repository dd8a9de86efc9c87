"""PyTorch's operators as objects: `torch_np.ops.aten.add` and its overload `.Tensor`."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._transforms.schemas import FunctionSchema, parsed, table

# Overloads of functions that are not in the table.
_NAMED = frozenset((
    "Dimname", "Int", "Scalar", "Scalar_Scalar", "Scalar_Tensor", "ScalarSelf", "ScalarOther", "Tensor", "Tensor_Scalar", "Tensor_Tensor",
    "Tensor_mode", "Scalar_mode", "default", "msg", "dim", "dim_IntList", "dim_max", "dim_min", "int", "names_dim", "other", "self", "source",
    "start", "start_step", "step", "using_ints", "vec", "dtype", "dims", "ScalarList", "correction", "unary_out", "stable", "out"))


class _NoSchema(NotImplementedError, AttributeError):
    """The error of an operator whose schema is not known, which `getattr(operator, "_schema", None)` catches."""


class OpOverload:
    """An operator with one schema: `torch_np.ops.aten.add.Tensor`. Calling it calls the function of
    torch_np; equal operators are the same object.
    """

    def __init__(self, packet: OpOverloadPacket, overload: str, schema: str | None, is_composite: bool) -> None:
        self._overloadpacket, self._overloadname, self._is_composite = packet, overload, is_composite
        self._opname, self.namespace = packet.__name__, packet._space
        self._function = packet._function
        self._text = schema
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = f"torch._ops.{packet._space}"
        self.__qualname__ = self.__name__
        self.__doc__ = packet.__doc__
        self.tags: list[Any] = []

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """All overloads of the operator's name."""
        return self._overloadpacket

    @property
    def _schema(self) -> FunctionSchema:
        if self._text is None:
            raise _NoSchema(f"{self}: its schema is not known here")
        return parsed(self._text)

    @property
    def op(self) -> OpOverload:
        """The operator itself."""
        return self

    @property
    def is_view(self) -> bool:
        """Whether a result is a view of an argument."""
        return self._text is not None and not self._schema.is_mutable and any(r.alias_info for r in self._schema.returns)

    def name(self) -> str:
        """Returns the operator's name, 'aten::add.Tensor'."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.namespace}::{self._opname}{suffix}"

    def overloads(self) -> list[str]:
        """Returns the overload that calls use."""
        return [self._overloadname]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> OpOverload:
        return self

    def __reduce__(self) -> Any:
        return _found, (self.namespace, self._opname, self._overloadname)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """The operators of one name: `torch_np.ops.aten.add`. Calling it calls the function of torch_np."""

    def __init__(self, space: str, name: str, function: Callable[..., Any]) -> None:
        self._space, self.__name__, self._function = space, name, function
        self._qualified_op_name = f"{space}::{name}"
        self.__module__ = f"torch._ops.{space}"
        self.__doc__ = function.__doc__
        self._known = table().get(name, {}) if space == "aten" else {}

    def overloads(self) -> list[str]:
        """Returns the names of the overloads."""
        return list(self._known) or ["default"]

    def name(self) -> str:
        """Returns the name, 'aten::add'."""
        return self._qualified_op_name

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__"):
            raise AttributeError(name)
        text, is_composite = self._known.get(name, (None, True))
        if text is None and (name not in _NAMED or self._known and name != "out" and name != "default"):
            raise AttributeError(f"the operator {self._qualified_op_name} has no overload '{name}'")
        made = self.__dict__[name] = OpOverload(self, name, text, is_composite)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> OpOverloadPacket:
        return self

    def __reduce__(self) -> Any:
        return _found, (self._space, self.__name__)

    def __str__(self) -> str:
        return f"{self._space}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._space}.{self.__name__}')>"


def _found(space: str, name: str, overload: str | None = None) -> Any:
    import torch_np

    packet = getattr(getattr(torch_np.ops, space), name)
    return packet if overload is None else getattr(packet, overload)


@functools.lru_cache(maxsize=1)
def _numbers_of_arguments() -> dict[str, int]:
    return {name: len(kinds) for name, _, kinds in _C._operators()}


def native_function(name: str) -> Callable[..., Any]:
    """A function that runs a native operator by its name with overload. Options that a call leaves out
    have their defaults.
    """
    def call(*args: Any) -> Any:
        return _C._run_operator(name, [*args, *[None] * (_numbers_of_arguments()[name] - len(args))])
    call.__name__ = name
    return call


_native: dict[str, OpOverload] = {}


def native_operator(name: str, schema: str) -> OpOverload:
    """An operator of torch_np that PyTorch does not have, under its own name.

    Args:
      name: Its name with overload.
      schema: Its schema. Calls pass all boxed arguments.
    """
    if name not in _native:
        base, _, overload = name.partition(".")
        packet = OpOverloadPacket("aten", base, native_function(name))
        packet._known = {overload or "default": (schema, False)}
        _native[name] = getattr(packet, overload or "default")
    return _native[name]
