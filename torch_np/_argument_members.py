"""Instances among the arguments of a compiled function. If the function uses one through its
attributes alone, calls with other instances of the class may use the same record.
"""
from __future__ import annotations

import abc
import types
from typing import Any

from . import _bytecode, _object_kinds

_WITHOUT_ATTRIBUTES = ("abc", "typing", "builtins")  # modules of bases that have no attributes of their own


def members(function: Any, place: int | str, cls: type) -> tuple[Any, ...] | None:
    """Called by the compiler. Returns the attributes that `function` reads of an instance of `cls`,
    which is its argument at `place`: names, and descriptors of slots. Returns None if the function
    uses the instance in another way, so that guards must compare its identity."""
    if isinstance(function, types.MethodType):
        function, place = function.__func__, place + 1 if isinstance(place, int) else place
    if not isinstance(function, types.FunctionType) or type(cls) not in (type, abc.ABCMeta):
        return None
    if any(c is not object and _object_kinds.is_constant(c.__module__) and c.__module__ not in _WITHOUT_ATTRIBUTES or issubclass(c, (*_object_kinds.VALUES, list, dict, set, frozenset)) for c in cls.__mro__):
        return None
    if any(name in vars(c) for c in cls.__mro__[:-1] for name in ("__getattr__", "__getattribute__")):
        return None
    found: dict[Any, None] = {}
    seen: set[types.CodeType] = set()

    def follow(code: types.CodeType, place: int | str) -> bool:
        if code in seen:
            return True
        seen.add(code)
        parameters = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        name = parameters[place] if isinstance(place, int) and place < code.co_argcount else place
        if name not in parameters:
            return False
        read = _bytecode.attributes_of(code, str(name))
        return read is not None and all(map(attribute, sorted(read)))

    def attribute(name: str) -> bool:
        member = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
        if name.startswith("__") and name.endswith("__"):
            return False
        if isinstance(member, types.MemberDescriptorType):
            found[member] = None
            return True
        found[name] = None
        if isinstance(member, types.FunctionType):
            return follow(member.__code__, 0)
        if type(member) is property:
            return isinstance(member.fget, types.FunctionType) and follow(member.fget.__code__, 0)
        return type(member) in (staticmethod, classmethod) or not hasattr(type(member), "__get__")

    return tuple(found) if follow(function.__code__, place) else None
