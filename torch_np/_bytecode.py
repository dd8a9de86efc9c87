"""Facts that guards (_guards.py) need from the bytecode of functions: the names that it reads, and
whether it handles exceptions.
"""
from __future__ import annotations

import dis
import functools
import inspect
import opcode
import types
from collections.abc import Iterable
from typing import Any

import numpy


def texts_in(constant: Any) -> Iterable[str]:
    """Strings that may be names of attributes, passed to getattr."""
    if type(constant) is str:
        return (constant,) if constant.isidentifier() else ()
    if type(constant) in (tuple, frozenset):
        return (text for item in constant for text in texts_in(item))
    return ()


_IMPORT, _HANDLER, _OF_WITH, _POP_TOP, _MATCH, _MATCH_GROUP = (
    opcode.opmap[name] for name in ("IMPORT_NAME", "PUSH_EXC_INFO", "WITH_EXCEPT_START", "POP_TOP", "CHECK_EXC_MATCH", "CHECK_EG_MATCH"))


def imports_modules(code: types.CodeType) -> bool:
    """Whether the code has an `import`."""
    return _IMPORT in code.co_code[::2]


def has_handlers(code: types.CodeType) -> bool:
    """Whether the code has `except` or `finally`, or names contextlib.suppress. `finally` does not
    count in generators: those of context managers use it to restore state."""
    operations = code.co_code[::2]
    if _MATCH in operations or _MATCH_GROUP in operations or bytes((_HANDLER, _POP_TOP)) in operations or "suppress" in code.co_names:
        return True
    return not code.co_flags & inspect.CO_GENERATOR and operations.count(_HANDLER) > operations.count(_OF_WITH)


def returns_a_truth(code: types.CodeType) -> bool:
    """Whether the function may return anything but None and False: an `__exit__` that does handles
    exceptions."""
    before = None
    for i in dis.get_instructions(code):
        is_false = before is not None and before.opname == "LOAD_CONST" and not before.argval
        if i.opname == "RETURN_VALUE" and not is_false or i.opname == "RETURN_CONST" and i.argval:
            return True
        before = i
    return False


# Builtins and attributes that read by a name computed at run time.
_COMPUTED = {"getattr", "hasattr", "vars", "eval", "exec", "globals", "locals", "dir"}
_COMPUTED_ATTRIBUTES = {"__dict__", "__getattribute__", "attrgetter", "methodcaller"}


def computes_names(code: types.CodeType) -> bool:
    """Whether the code may read attributes or variables by names that it computes."""
    if not _COMPUTED_ATTRIBUTES.isdisjoint(code.co_names):
        return True
    if _COMPUTED.isdisjoint(code.co_names):
        return False
    return any(i.argval in _COMPUTED for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))  # not model.eval()


def names_numpys_random(code: types.CodeType, variables: dict[str, Any]) -> bool:
    """Whether the code names `numpy.random`, under any name of NumPy's module."""
    before = None
    for i in dis.get_instructions(code):
        if i.argval == "random" and i.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(before, str) and variables.get(before) is numpy:
            return True
        before = i.argval
    return False


def names_read_by(code: types.CodeType) -> set[str]:
    """Names in the code of a constructor, without attributes that it only writes."""
    return {i.argval for i in dis.get_instructions(code) if i.opcode in dis.hasname and i.opname != "STORE_ATTR"}


@functools.lru_cache(maxsize=None)
def own_names(cls: type) -> frozenset[str]:
    """Attributes that methods of a library class read or write on `self`."""
    names: set[str] = set()
    for member in vars(cls).values():
        f = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        for code in (g.__code__ for g in (f, getattr(f, "fget", None)) if isinstance(g, types.FunctionType)):
            names.update(text for text in texts_in(code.co_consts) if text.startswith("_"))  # self.__dict__["_modules"]
            before = None
            for i in dis.get_instructions(code):
                if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR") and before is not None and before in code.co_varnames[:1]:
                    names.add(i.argval)
                loads = i.opname.startswith("LOAD_FAST")
                before = (i.argval[-1] if isinstance(i.argval, tuple) else i.argval) if loads else None
    return frozenset(names)
