"""Schemas of custom operators: parameters with kinds and defaults, and results.

A schema is read from Python annotations, or from text in the syntax of native_functions.yaml, such
as `scale(Tensor input, *, float by=1.0) -> Tensor`.
"""
from __future__ import annotations

import ast
import collections.abc
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy

from torch_np import _C, _argument_names

REQUIRED: Any = inspect.Parameter.empty


def _as_bool(value):
    if isinstance(value, (bool, numpy.bool)):
        return bool(value)
    raise TypeError


def _as_int(value):
    if isinstance(value, (bool, numpy.bool)):
        raise TypeError
    return operator.index(value)


def _as_float(value):
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        raise TypeError
    return float(value)


def _as_str(value):
    if isinstance(value, str):
        return str(value)
    raise TypeError


def _as_number(value):
    if isinstance(value, (bool, int, float, complex)):
        return value
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return value.item()
    raise TypeError


_READERS: dict[str, Callable[[Any], Any]] = {"bool": _as_bool, "int": _as_int, "float": _as_float, "str": _as_str, "Scalar": _as_number}
KINDS = ("Tensor", *_READERS)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator's schema."""  # Python 3.11.2 makes no docstring: REQUIRED is inspect's `empty`

    name: str
    kind: str                    # one of KINDS
    several: bool = False  # whether the argument is a list of this kind
    optional: bool = False       # whether the argument may be None
    default: Any = REQUIRED
    keyword_only: bool = False
    mutated: bool = False
    as_ndarray: bool = False  # annotated as ndarray, so that the function receives ndarrays

    @property
    def is_tensor(self) -> bool:
        return self.kind == "Tensor"

    def type_text(self) -> str:
        return f"{self.kind}{'[]' if self.several else ''}{'?' if self.optional else ''}"

    def __str__(self) -> str:
        kind = self.type_text().replace("Tensor", "Tensor(a!)", 1) if self.mutated else self.type_text()
        return f"{kind} {self.name}{'' if self.default is REQUIRED else f'={self.default!r}'}"

    def read(self, value: Any, operator_name: str) -> Any:
        """Converts `value` to the parameter's kind. Errors: TypeError."""
        if value is None and self.optional:
            return None
        try:
            if not self.several:
                return _READERS[self.kind](value)
            if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, numpy.ndarray)) and not _C._is_array(value):
                raise TypeError
            return [_READERS[self.kind](item) for item in value]
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{operator_name}(): argument '{self.name}' must be {self.type_text()}, not {_described(value)}") from None


def _described(value):
    return type(value).__name__ if not isinstance(value, (list, tuple)) else repr(value)[:60]


@dataclass(frozen=True)
class Schema:
    parameters: tuple[Parameter, ...]
    results: int | None  # number of Tensors; None for a list of Tensors
    signature: inspect.Signature = field(compare=False)
    single: bool = True  # a single result is returned by itself, not in a tuple

    def __str__(self) -> str:
        texts, keywords = [], False
        for p in self.parameters:
            if p.keyword_only and not keywords:
                texts.append("*")
                keywords = True
            texts.append(str(p))
        if self.results is None:
            given = "Tensor[]"
        elif self.single:
            given = "Tensor" if self.results else "()"
        else:
            given = f"({', '.join(['Tensor'] * self.results)})"
        return f"({', '.join(texts)}) -> {given}"

    @cached_property
    def numpys_names(self) -> dict[str, str]:
        """Names of the parameters in torch_np.numpy: docs/native_functions.md."""
        there = {p.name for p in self.parameters}
        return {p.name: new if (new := _argument_names.NUMPYS.get(p.name, p.name)) not in there else p.name for p in self.parameters}

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Alternative names of parameters, of both faces."""
        there = {p.name for p in self.parameters}
        return {name: others for name, all_ in _argument_names.ALIASES.items() if name in there and (others := tuple(a for a in all_ if a not in there))}

    @cached_property
    def numpys_signature(self) -> inspect.Signature:
        return inspect.Signature([p.replace(name=self.numpys_names[p.name]) for p in self.signature.parameters.values()])

    def named(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments by the schema's names. An argument given under two names is kept;
        bind() rejects it.
        """
        if not self.aliases:
            return kwargs
        names = {a: name for name, others in self.aliases.items() for a in others if name not in kwargs}
        renamed = {names.get(k, k): v for k, v in kwargs.items()}
        return renamed if len(renamed) == len(kwargs) else kwargs

    def bind(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns one value for each parameter. Errors: TypeError, which names a missing, unknown
        or repeated argument.
        """
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}; it takes {self}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())


# Signature of operators without a schema: any number of positional inputs, and attributes by name.
ANY_SIGNATURE = inspect.Signature([inspect.Parameter("inputs", inspect.Parameter.VAR_POSITIONAL),
                                   inspect.Parameter("attributes", inspect.Parameter.VAR_KEYWORD)])


def _signature(parameters):
    kinds = inspect.Parameter
    return inspect.Signature([kinds(p.name, kinds.KEYWORD_ONLY if p.keyword_only else kinds.POSITIONAL_OR_KEYWORD, default=p.default)
                              for p in parameters])


def make_schema(parameters: Sequence[Parameter], results: int | None, single: bool) -> Schema:
    return Schema(tuple(parameters), results, _signature(parameters), single)


# --- from annotations

_PLAIN: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "str"}
_LISTS = (list, collections.abc.Sequence, tuple)


def from_function(function: Callable[..., Any], name: str, mutated: str | Sequence[str]) -> Schema:
    """Reads the schema of an annotated function. Errors: ValueError for a missing annotation, or
    one that operators do not support.
    """
    try:
        hints = typing.get_type_hints(function)
    except Exception as error:
        raise ValueError(f"{name}: the annotations cannot be read: {error}") from error
    signature = inspect.signature(function)
    names = _tensor_names(hints) if mutated == "unknown" else {mutated} if isinstance(mutated, str) else set(mutated)
    if unknown := names - set(signature.parameters):
        raise ValueError(f"{name}: mutates_args names {sorted(unknown)}, which are not parameters")
    parameters = [_of_annotation(name, p, hints.get(p.name, REQUIRED), p.name in names)
                  for p in signature.parameters.values()]
    for p in parameters:
        if p.mutated and not p.is_tensor:
            raise ValueError(f"{name}: mutates_args names '{p.name}', which is not a Tensor")
    results, single = _results_of(name, hints.get("return", REQUIRED))
    return make_schema(parameters, results, single)


def _tensor_names(hints):
    return {p for p, hint in hints.items() if p != "return" and _kind_of(_without_none(hint)[0])[0] == "Tensor"}


def _of_annotation(name, parameter, hint, mutated):
    where = f"{name}: parameter '{parameter.name}'"
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY, parameter.POSITIONAL_ONLY):
        raise ValueError(f"{where} stands for any number of arguments, which operators do not support")
    if hint is REQUIRED:
        raise ValueError(f"{where} has no annotation: expected Tensor, ndarray, int, float, bool, str, a list of one of these, "
                         "or one of these | None")
    hint, optional = _without_none(hint)
    several = typing.get_origin(hint) in _LISTS
    if several:
        hint, = {a for a in typing.get_args(hint) if a is not Ellipsis} or {None}
    kind, as_ndarray = _kind_of(hint)
    if kind is None:
        raise ValueError(f"{where} has the annotation {hint!r}: expected Tensor, ndarray, int, float, bool, str, a list of one of these, "
                         "or one of these | None")
    return Parameter(parameter.name, kind, several, optional, parameter.default, parameter.kind == parameter.KEYWORD_ONLY, mutated,
                     as_ndarray)


def _without_none(hint):
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = [a for a in typing.get_args(hint) if a is not type(None)]
        optional = len(members) < len(typing.get_args(hint))
        if len(members) == 1:
            return members[0], optional
        if set(members) <= {int, float, bool, complex}:
            return numpy.number, optional
    return hint, False


def _kind_of(hint):
    if hint is _C.Tensor or hint is _C.ndarray:
        return "Tensor", hint is _C.ndarray
    if hint is numpy.number or hint is complex:
        return "Scalar", False
    return _PLAIN.get(hint), False


def _results_of(name, hint):
    if hint is None or hint is type(None):
        return 0, True
    if hint in (_C.Tensor, _C.ndarray):
        return 1, True
    members = typing.get_args(hint)
    if typing.get_origin(hint) is tuple and members and all(m in (_C.Tensor, _C.ndarray) for m in members):
        return len(members), False
    if typing.get_origin(hint) in (list, collections.abc.Sequence) and members[0] in (_C.Tensor, _C.ndarray):
        return None, False
    said = "no annotation" if hint is REQUIRED else f"the annotation {hint!r}"
    raise ValueError(f"{name}: the result has {said}: expected Tensor, ndarray, a tuple of them, list[Tensor], or None")


# --- from text

_TYPE = re.compile(r"(?P<kind>Tensor|bool|int|float|str|Scalar)(?P<mutated>\(\w+!\))?(?P<several>\[\])?(?P<optional>\?)?")


def from_text(text: str, name: str) -> Schema:
    """Reads a schema from text, such as `(Tensor input, *, float by=1.0, int[] shape=[], str?
    mode=None) -> Tensor`.

    The result may also be `(Tensor, Tensor)`, `Tensor[]` or `()`. `Tensor(a!)` is changed in place.
    Errors: ValueError, which names the position.
    """
    found = re.fullmatch(r"\s*\((?P<parameters>.*)\)\s*->\s*(?P<results>.+?)\s*", text, re.S)
    if not found:
        raise ValueError(f"{name}: '{text}' is not a schema: expected '(Tensor input, ...) -> Tensor'")
    parameters, keyword_only = [], False
    parts = _parts(found["parameters"])
    for part in parts:
        if part == "*":
            keyword_only = True
            continue
        parameters.append(_of_text(part, name, keyword_only))
    names = [p.name for p in parameters]
    if twice := {n for n in names if names.count(n) > 1}:
        raise ValueError(f"{name}: parameters of the same name: {sorted(twice)}")
    marks = [kind["mutated"] for part in parts if (kind := _TYPE.match(part)) and kind["mutated"]]
    if len(set(marks)) < len(marks):
        raise ValueError(f"{name}: two parameters are one array that is changed in place: give each of the marks {', '.join(marks)} a "
                         "letter of its own")
    try:
        return make_schema(parameters, *_results_of_text(found["results"], name))
    except ValueError as error:  # a parameter without a default after one that has one
        raise ValueError(f"{name}: {error}") from None


def _parts(text):
    """Splits a text at commas outside of brackets and quotes."""
    parts, depth, quoted, now = [], 0, "", ""
    for c in text:
        if quoted:
            quoted = "" if c == quoted else quoted
        elif c in "'\"":
            quoted = c
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        if c == "," and not depth and not quoted:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return [*parts, now.strip()] if now.strip() or parts else []


def _of_text(text, name, keyword_only):
    kind = _TYPE.match(text)
    rest = re.fullmatch(r"\s+(?P<name>[A-Za-z_]\w*)\s*(=\s*(?P<default>.+))?", text[kind.end():], re.S) if kind else None
    if not kind or not rest:
        raise ValueError(f"{name}: '{text}' is not a parameter: expected a type of {', '.join(KINDS)}, with [] for lists and ? for None, "
                         "a name, and perhaps =default")
    default = REQUIRED
    if rest["default"] is not None:
        written = rest["default"].strip()
        try:
            default = {"true": True, "false": False}.get(written, REQUIRED)
            default = ast.literal_eval(written) if default is REQUIRED else default
        # literal_eval raises these exceptions
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise ValueError(f"{name}: '{written}', the default of '{rest['name']}', is not a literal") from None
    p = Parameter(rest["name"], kind["kind"], bool(kind["several"]), bool(kind["optional"]), default, keyword_only, bool(kind["mutated"]))
    if p.mutated and not p.is_tensor:
        raise ValueError(f"{name}: '{text}': only a Tensor can be changed in place")
    if default is not REQUIRED and not (default is None and p.optional):
        try:
            if p.is_tensor:
                raise TypeError
            p.read(default, name)
        except TypeError:
            raise ValueError(f"{name}: {default!r} is not a default of {p.type_text()} {p.name}") from None
    return p


def _results_of_text(text, name):
    if text == "Tensor":
        return 1, True
    if text == "Tensor[]":
        return None, False
    if re.fullmatch(r"\(\s*\)", text):
        return 0, True
    inside = re.fullmatch(r"\((.*)\)", text, re.S)
    parts = _parts(inside[1]) if inside else []
    if not parts or not all(re.fullmatch(r"Tensor(\s+\w+)?", part) for part in parts):
        raise ValueError(f"{name}: '{text}' is not a result: expected Tensor, (Tensor, Tensor), Tensor[] or ()")
    names = [part.split()[1] for part in parts if " " in part]
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: '{text}': two results of the same name")
    return len(parts), False
