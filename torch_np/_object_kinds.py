"""Kinds of objects and classes: those that never change, those of libraries, those with state that
Python does not show. `_guards` asks for each object that a compiled function can reach.
"""
from __future__ import annotations

import collections
import datetime
import functools
import io
import operator
import pathlib
import re
import sys
import threading
import types
from typing import Any

import numpy

from . import _bytecode, _public_names

PLAIN = {int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range, types.CodeType}
# Instances never change, although they have memory that Python does not show.
IMMUTABLE: tuple[Any, ...] = (
    numpy.generic, numpy.dtype, numpy.ufunc, re.Pattern, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, types.GenericAlias,
    types.UnionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, functools._lru_cache_wrapper, operator.attrgetter, operator.itemgetter, operator.methodcaller, pathlib.PurePath,
    type(vars(collections.namedtuple("_Pair", "a b"))["a"]))
VALUES = (bool, int, float, complex, str, bytes, tuple)
LOCKS = (type(threading.Lock()), type(threading.RLock()))

_CONSTANT = frozenset(("torch_np", "numpy", *sys.stdlib_module_names))
_MANAGED_DICT = 1 << 4  # Py_TPFLAGS_MANAGED_DICT: the dict takes no room in the object
_POINTER = object.__basicsize__ // 2


def is_ours(module: Any) -> bool:
    return _public_names.top(module) == "torch_np"


def is_constant(module: Any) -> bool:
    """Whether functions and classes of the module count as constant, so that their code is not
    walked: modules of this package, of NumPy and of Python's standard library."""
    return _public_names.top(module) in _CONSTANT


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


class Everything:
    def __contains__(self, _: object) -> bool:
        return True


def names_of_library_bases(cls: type) -> set[str]:
    return {name for c in cls.__mro__ if c is not object and is_constant(c.__module__) for name in _bytecode.own_names(c)}


def is_effect(o: Any, cls: type) -> bool:
    """Whether the object exists for side effects, which happen only when a function is recorded:
    files that are written, loggers, locks."""
    if issubclass(cls, LOCKS) or cls.__module__ == "logging":
        return True
    if not issubclass(cls, io.IOBase) or issubclass(cls, (io.BytesIO, io.StringIO)):
        return False
    try:
        return not o.readable()
    except ValueError:  # the file is closed
        return True


def slots_of(cls: type, base: Any) -> list[Any]:
    """Descriptors of the `__slots__` that classes derived from `base` have."""
    derived = [c for c in cls.__mro__ if "__slots__" in vars(c) and not issubclass(base, c)]
    return [member for c in derived for member in vars(c).values() if isinstance(member, types.MemberDescriptorType)]


def has_hidden_state(cls: Any, base: Any, num_slots: int) -> bool:
    """Whether objects have memory beyond that of `base` that neither `__dict__` nor `__slots__`
    accounts for (pickle tests the same)."""
    size = base.__basicsize__ + _POINTER * num_slots
    if cls.__dictoffset__ and not base.__dictoffset__ and not cls.__flags__ & _MANAGED_DICT:
        size += _POINTER
    if cls.__weakrefoffset__ > 0 and base.__weakrefoffset__ == 0:
        size += _POINTER
    return cls.__basicsize__ > size or cls.__itemsize__ != base.__itemsize__
