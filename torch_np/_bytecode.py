"""Facts that guards (_guards.py) need from the bytecode of functions: the names that it reads, and
whether it handles exceptions.
"""
from __future__ import annotations

import dataclasses
import dis
import functools
import inspect
import opcode
import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy


_CONSTRUCTORS = {"__new__", "__init__", "__post_init__"}


@dataclasses.dataclass(frozen=True)
class Facts:
    """What guards need of one code."""
    variables: tuple[str, ...]  # names that the code looks up among global variables and builtins
    names: frozenset[str]  # of attributes and variables that it reads
    texts: frozenset[str]  # strings that may be names of attributes, if it reads any by name
    computes_names: bool  # whether it may read attributes or variables by names that it computes
    reads: tuple[tuple[str, str], ...]  # a variable, and an attribute that it reads of it
    handles_errors: bool
    sets_attributes: bool  # it assigns or deletes some
    imports_modules: bool
    lines: dict[Any, str]  # see lines_of_names; as file:line, those of functions inside it, too
    inner: tuple[types.CodeType, ...]  # functions, classes and comprehensions inside it


@functools.lru_cache(maxsize=4096)
def facts_of(code: types.CodeType) -> Facts:
    inner = tuple(c for c in code.co_consts if isinstance(c, types.CodeType))
    lines = {name: f"{code.co_filename}:{line}" for name, line in lines_of_names(code).items()}
    for c in inner:
        lines = facts_of(c).lines | lines
    reads_by_name = not (_COMPUTED | _COMPUTED_ATTRIBUTES).isdisjoint(code.co_names)
    return Facts(
        variables=tuple(sorted(variables_of(code))),
        names=frozenset(names_read_by(code) if code.co_name in _CONSTRUCTORS else code.co_names),
        texts=frozenset(texts_in(code.co_consts) if reads_by_name else ()),
        computes_names=computes_names(code),
        reads=tuple(sorted(reads_of_variables(code))),
        handles_errors=has_handlers(code),
        sets_attributes=sets_attributes(code),
        imports_modules=_IMPORT in code.co_code[::2],
        lines=lines,
        inner=inner)


@functools.lru_cache(maxsize=64)
def instructions_of(code: types.CodeType) -> list[dis.Instruction]:
    """The instructions of code. The functions below ask for those of one code in a row."""
    return list(dis.get_instructions(code))


def texts_in(constant: Any) -> Iterable[str]:
    """Strings that may be names of attributes, passed to getattr."""
    if type(constant) is str:
        return (constant,) if constant.isidentifier() else ()
    if type(constant) in (tuple, frozenset):
        return (text for item in constant for text in texts_in(item))
    return ()


_IMPORT, _HANDLER, _OF_WITH, _POP_TOP, _MATCH, _MATCH_GROUP, _STORE, _DELETE = (
    opcode.opmap[name] for name in ("IMPORT_NAME", "PUSH_EXC_INFO", "WITH_EXCEPT_START", "POP_TOP", "CHECK_EXC_MATCH", "CHECK_EG_MATCH", "STORE_ATTR", "DELETE_ATTR"))


def sets_attributes(code: types.CodeType) -> bool:
    """Whether the code assigns or deletes attributes."""
    operations = code.co_code[::2]
    return _STORE in operations or _DELETE in operations


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
    for i in instructions_of(code):
        is_false = before is not None and before.opname == "LOAD_CONST" and not before.argval
        if i.opname == "RETURN_VALUE" and not is_false or i.opname == "RETURN_CONST" and i.argval:
            return True
        before = i
    return False


# Builtins and attributes that read or change by a name computed at run time.
_COMPUTED = {"getattr", "hasattr", "setattr", "delattr", "vars", "eval", "exec", "globals", "locals", "dir"}
_COMPUTED_ATTRIBUTES = {"__dict__", "__getattribute__", "attrgetter", "methodcaller"}


def variables_of(code: types.CodeType) -> set[str]:
    """Names that the code looks up among global variables and builtins."""
    return {i.argval for i in instructions_of(code) if i.opname.endswith(("_GLOBAL", "_NAME")) and not i.opname.startswith("IMPORT")} \
        | {i.argval for i in instructions_of(code) if "_FROM_DICT_OR_GLOBALS" in i.opname}


def computes_names(code: types.CodeType) -> bool:
    """Whether the code may read attributes or variables by names that it computes."""
    if not _COMPUTED_ATTRIBUTES.isdisjoint(code.co_names):
        return True
    if _COMPUTED.isdisjoint(code.co_names):
        return False
    instructions = [i for i in instructions_of(code) if i.opname not in ("CACHE", "EXTENDED_ARG", "PRECALL")]
    return any(i.argval in _COMPUTED and not (i.argval in ("getattr", "hasattr", "setattr", "delattr") and _has_constant_name(instructions, at))
               for at, i in enumerate(instructions) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))  # not model.eval()


def _has_constant_name(instructions: list[dis.Instruction], at: int) -> bool:
    """Whether the second argument of a call of getattr, which instruction `at` loads, is a constant,
    and the third one, if there is one, a constant or a variable."""
    depth = 0
    for n in range(at + 1, len(instructions) - 2):
        i = instructions[n]
        if depth == 1 and i.opname == "LOAD_CONST" and isinstance(i.argval, str):
            rest = instructions[n + 1:n + 3]
            return rest[0].opname == "CALL" or rest[0].opname.startswith("LOAD_") and "_ATTR" not in rest[0].opname and rest[1].opname == "CALL"
        if depth > 1 and i.opname == "CALL" or i.opcode in dis.hasjrel or i.opcode in dis.hasjabs:
            return False
        depth += dis.stack_effect(i.opcode, i.arg, jump=False)
    return False


def reads_of_variables(code: types.CodeType) -> set[tuple[str, str]]:
    """Pairs of a variable and an attribute that the code reads of it."""
    found = set()
    before: Any = None
    for i in instructions_of(code):
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(before, str):
            found.add((before, i.argval))
        before = i.argval if i.opname.startswith(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST")) else None
    return found


def names_numpys_random(code: types.CodeType, variables: dict[str, Any]) -> bool:
    """Whether the code names `numpy.random`, under any name of NumPy's module."""
    before = None
    for i in instructions_of(code):
        if i.argval == "random" and i.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(before, str) and variables.get(before) is numpy:
            return True
        before = i.argval
    return False


def names_read_by(code: types.CodeType) -> set[str]:
    """Names in the code of a constructor, without attributes that it only writes."""
    return {i.argval for i in instructions_of(code) if i.opcode in dis.hasname and i.opname != "STORE_ATTR"}


@functools.lru_cache(maxsize=None)
def own_names(cls: type) -> frozenset[str]:
    """Attributes that methods of a library class read or write on `self`."""
    names: set[str] = set()
    for member in vars(cls).values():
        f = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        for code in (g.__code__ for g in (f, getattr(f, "fget", None)) if isinstance(g, types.FunctionType)):
            names.update(text for text in texts_in(code.co_consts) if text.startswith("_"))  # self.__dict__["_modules"]
            before = None
            for i in instructions_of(code):
                if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR") and before is not None and before in code.co_varnames[:1]:
                    names.add(i.argval)
                loads = i.opname.startswith("LOAD_FAST")
                before = (i.argval[-1] if isinstance(i.argval, tuple) else i.argval) if loads else None
    return frozenset(names)


def lines_of_names(code: types.CodeType) -> dict[Any, int]:
    """Returns the line of the first instruction that loads each name: under the name, and
    also under (name, "as a value") if it is not only called."""
    found: dict[Any, int] = {}
    line = code.co_firstlineno
    before, is_chain_called = "", False
    instructions = instructions_of(code)
    for i, after in zip(instructions, [*instructions[1:], instructions[-1]], strict=True):
        line = _line(i) or line
        flag = (i.arg or 0) & 1
        is_attribute = i.opname in ("LOAD_ATTR", "LOAD_METHOD")
        is_called = i.opname == "LOAD_METHOD" or i.opname == "LOAD_GLOBAL" and flag or i.opname == "LOAD_ATTR" and _HAS_METHOD_FLAG and flag \
            or "PUSH_NULL" in (before, after.opname) or is_attribute and is_chain_called
        is_chain_called, before = bool(is_called), i.opname
        if not i.opname.startswith("LOAD_") or not isinstance(i.argval, str) or i.opcode in dis.hasconst:
            continue
        found.setdefault(i.argval, line)
        if not is_called and after.opname not in ("LOAD_METHOD", "LOAD_ATTR"):
            found.setdefault((i.argval, "as a value"), line)
    return found


_HAS_METHOD_FLAG = sys.version_info >= (3, 12)  # of LOAD_ATTR


def _line(i: dis.Instruction) -> int | None:
    return i.positions.lineno if i.positions else None


def attributes_of(code: types.CodeType, name: str) -> set[str] | None:
    """Returns the attributes that the code, and functions made inside it, read of a parameter; None
    if the code uses the parameter in another way."""
    if "super" in code.co_names:
        return None
    found: set[str] = set()
    instructions = [i for i in instructions_of(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
    for i, after in zip(instructions, [*instructions[1:], instructions[-1]], strict=True):
        parts = i.argval if isinstance(i.argval, tuple) else (i.argval,)
        if name not in parts or i.opname in ("MAKE_CELL", "LOAD_CLOSURE", "COPY_FREE_VARS") or i.opcode in dis.hasname or i.opcode in dis.hasconst \
                or i.opname in ("KW_NAMES",):
            continue
        if not i.opname.startswith(("LOAD_FAST", "LOAD_DEREF")) or parts[-1] != name or parts.count(name) != 1 or after.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            if i.opname.startswith("LOAD_FAST") and name in code.co_cellvars + code.co_freevars and after.opname in ("BUILD_TUPLE", "LOAD_FAST", "LOAD_CLOSURE"):
                continue  # 3.13: a cell is loaded for a closure
            return None
        found.add(after.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and name in constant.co_freevars:
            inner = attributes_of(constant, name)
            if inner is None:
                return None
            found |= inner
    return found
