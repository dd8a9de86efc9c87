"""Finds the places where code asks for an object's class or for its attributes by name, or keeps an
object outside of the call.

While a function is recorded, 0-d arrays stand for NumPy's scalars. isinstance, type, hasattr and
class patterns of `match` would tell them apart, and what is kept is seen by other code. So such a
function makes a graph break when it makes a scalar (_guards.py).
"""
from __future__ import annotations

import dataclasses
import dis
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy

from . import _C

_SCALARS = (numpy.float64, numpy.float32, numpy.int64, numpy.complex128, numpy.bool_)
_FUNCTIONS = {"isinstance", "issubclass", "type", "hasattr", "getattr", "dir"}
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST", "LOAD_CLASSDEREF")
_NOT_COUNTED = ("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "TO_BOOL", "NOT_TAKEN")


@dataclasses.dataclass(frozen=True)
class Inspection:
    """One place. `classes` are those of isinstance, as tuples of a variable and attributes, and
    `attribute` is the name for hasattr; both are None if the code computes them."""
    function: str
    line: int
    classes: tuple[tuple[str, ...], ...] | None = None
    attribute: str | None = None
    container: str | None = None


@functools.lru_cache(maxsize=4096)
def inspections_of(code: types.CodeType) -> tuple[Inspection, ...]:
    """Inspections in the code, without those of `self` and `cls`. Functions inside it do not count."""
    if _FUNCTIONS.isdisjoint(code.co_names) and "__class__" not in code.co_names and _ADDING.isdisjoint(code.co_names) and \
            not _TELLING.intersection(code.co_code[::2]):
        return ()
    instructions = [i for i in dis.get_instructions(code) if i.opname not in _NOT_COUNTED]
    found: list[Inspection] = []
    within: set[int] = set()  # instructions that load the classes of isinstance
    line = code.co_firstlineno
    for at, i in enumerate(instructions):
        line = i.positions.lineno or line if i.positions else line
        own = instructions[max(at - 1, 0)].argval in ("self", "cls")
        if kept := _kept(instructions, at, code.co_freevars, line):
            found.append(kept)
        elif i.opname == "MATCH_CLASS":
            classes, _ = _classes_before(instructions, at - 1)
            found.append(Inspection("match", line, classes))
        elif i.opname in ("LOAD_ATTR", "LOAD_METHOD") and i.argval == "__class__" and not own:
            found.append(Inspection("__class__", line))
        elif i.opname in ("LOAD_GLOBAL", "LOAD_NAME") and i.argval in _FUNCTIONS and at not in within:
            found += _inspection(instructions, at, i.argval, line, within)
    return tuple(found)


# Methods that put an object into a container.
_ADDING = {"add", "append", "appendleft", "extend", "insert", "setdefault", "update"}
_TELLING = {dis.opmap[name] for name in ("MATCH_CLASS", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR")}
_OUTSIDE = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")


def _kept(instructions: list[dis.Instruction], at: int, free: tuple[str, ...], line: int) -> Inspection | None:
    """The place, if the instruction stores an object in a variable, an attribute or a container that outlives the call."""
    i = instructions[at]
    found = Inspection("an assignment outside of the call", line)
    if i.opname in ("STORE_GLOBAL", "STORE_DEREF"):
        return found if i.opname == "STORE_GLOBAL" or i.argval in free else None
    if i.opname == "STORE_ATTR":  # x.shape = ... of an array keeps nothing
        return None if hasattr(_C.ndarray, i.argval) else found
    if i.opname in ("LOAD_ATTR", "LOAD_METHOD") and i.argval in _ADDING:
        return found if at > 0 and instructions[at - 1].opname in (*_OUTSIDE, "LOAD_ATTR") else None
    if i.opname == "STORE_SUBSCR":  # the container is below the index
        depth = 1
        for n in range(at - 1, -1, -1):
            if depth == 0:
                variable = instructions[n]
                return dataclasses.replace(found, container=variable.argval) if variable.opname in _OUTSIDE else None
            depth -= dis.stack_effect(instructions[n].opcode, instructions[n].arg, jump=False)
    return None


def _inspection(instructions: list[dis.Instruction], at: int, function: str, line: int, within: set[int]) -> list[Inspection]:
    call, second = _call_after(instructions, at)
    if call is None:
        return [Inspection(function, line)]
    count = instructions[call].argval
    if instructions[at + 1].argval in ("self", "cls") and (count == 1 or second == at + 2):
        return []
    if function == "type":
        return [] if count == 3 else [Inspection(function, line)]
    if function in ("isinstance", "issubclass"):
        classes, first = _classes_before(instructions, call)
        within.update(range(first, call))
        return [Inspection(function, line, classes)]
    name = instructions[second] if second is not None else None
    is_constant = name is not None and name.opname == "LOAD_CONST" and isinstance(name.argval, str)
    return [Inspection(function, line, attribute=name.argval if name is not None and is_constant else None)]


def _call_after(instructions: list[dis.Instruction], at: int) -> tuple[int | None, int | None]:
    """The instruction that calls the function which instruction `at` loads, and the one that loads
    the second argument; None if there is none, or the code between them jumps."""
    depth, second = 0, None
    if instructions[at + 1].opname == "PUSH_NULL":  # since 3.13, after the function
        at += 1
    for n in range(at + 1, len(instructions)):
        i = instructions[n]
        if i.opname in ("PRECALL", "CALL") and i.argval == depth:
            return n, second
        if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs:
            return None, None
        if depth == 1 and i.opname.startswith("LOAD_") and i.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            second = n
        depth += dis.stack_effect(i.opcode, i.arg, jump=False)
        if depth < 1:
            return None, None
    return None, None


def _classes_before(instructions: list[dis.Instruction], end: int) -> tuple[tuple[tuple[str, ...], ...] | None, int]:
    """The classes that the instructions before `end` load, and the first of these instructions."""
    i = instructions[end - 1]
    if i.opname in _LOADS:
        return ((i.argval,),), end - 1
    if i.opname == "LOAD_ATTR":
        base, first = _classes_before(instructions, end - 1)
        return ((*base[0], i.argval),) if base is not None and len(base) == 1 else None, first
    if i.opname == "BUILD_TUPLE" or i.opname == "BINARY_OP" and i.argrepr == "|":
        parts: list[tuple[str, ...]] = []
        first = end - 1
        for _ in range(i.argval if i.opname == "BUILD_TUPLE" else 2):
            classes, first = _classes_before(instructions, first)
            if classes is None:
                return None, first
            parts += classes
        return tuple(parts), first
    if i.opname == "LOAD_CONST" and (i.argval is None or i.argval == ()):
        return (), end - 1
    return None, end - 1


def first_of_scalars(code: types.CodeType, value_of: Callable[[str], Any]) -> str | None:
    """The first place in the code that can tell a NumPy scalar from a 0-d array, as text.
    `value_of(variable)` gives a variable's value and raises KeyError if it is unknown."""
    for i in inspections_of(code):
        if _tells_scalars(i, value_of):
            return f"{i.function} ({code.co_filename}:{i.line})"
    return None


def _tells_scalars(i: Inspection, value_of: Callable[[str], Any]) -> bool:
    if i.attribute is not None:
        return any(hasattr(_C.ndarray, i.attribute) != hasattr(scalar, i.attribute) for scalar in _SCALARS)
    if i.container is not None:
        try:
            return not isinstance(value_of(i.container), (_C.ndarray, _C.Tensor, numpy.ndarray))
        except KeyError:
            return True
    if i.classes is None:
        return True
    try:
        return any(_is_told_by(functools.reduce(_attribute, names, value_of(first))) for first, *names in i.classes)
    except (KeyError, AttributeError, TypeError):
        return True


def _attribute(o: Any, name: str) -> Any:
    if not isinstance(o, (types.ModuleType, type)):
        raise KeyError(name)
    return getattr(o, name)


def _is_told_by(cls: Any) -> bool:
    if isinstance(cls, tuple):
        return any(map(_is_told_by, cls))
    return cls is not type(None) and any(issubclass(_C.ndarray, cls) != issubclass(scalar, cls) for scalar in _SCALARS)
