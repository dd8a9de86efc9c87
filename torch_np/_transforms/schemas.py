"""Schemas of PyTorch's operators: aten.txt has one a line.

A line that begins with ~ is an operator that PyTorch makes of others before `__torch_dispatch__` sees
them.
"""
from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class AliasInfo:
    """How an argument or a result shares memory: `Tensor(a!)`."""

    before_set: frozenset[str]
    is_write: bool

    @property
    def after_set(self) -> frozenset[str]:
        """The same set: no operator moves an argument to another one."""
        return self.before_set


@dataclass(frozen=True)
class Argument:
    """An argument or a result of a schema. `type` is a text, such as 'int[]?'."""

    name: str
    type: str
    default: Any = None
    has_default: bool = False
    kwarg_only: bool = False
    alias_info: AliasInfo | None = None
    is_out: bool = False

    @property
    def default_value(self) -> Any:
        """The default; None without one."""
        return self.default

    def has_default_value(self) -> bool:
        """Whether there is a default."""
        return self.has_default


@dataclass(frozen=True)
class FunctionSchema:
    """An operator's arguments and results. Its text is that of PyTorch."""

    name: str
    overload_name: str
    arguments: list[Argument] = field(hash=False)
    returns: list[Argument] = field(hash=False)
    text: str

    @property
    def is_mutable(self) -> bool:
        """Whether the operator changes an argument."""
        return any(a.alias_info and a.alias_info.is_write for a in self.arguments)

    def __str__(self) -> str:
        return f"aten::{self.text}" if "::" not in self.text else self.text


def _parts(text: str) -> list[str]:
    """The parts between commas that are within no brackets."""
    found, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()] if text.strip() else found


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # the name of an enumerator


def _argument(text: str, kwarg_only: bool) -> Argument:
    declared, has_default, default = text.partition("=")
    kind, _, name = declared.rpartition(" ")
    if not kind:
        kind, name = declared, ""
    alias = re.search(r"\((\w+)(!?)(?: -> \*)?\)", kind)
    info = AliasInfo(frozenset({f"alias::{alias[1]}"}), bool(alias[2])) if alias else None
    plain = re.sub(r"\(\w+!?(?: -> \*)?\)", "", kind)
    return Argument(name, plain, _value(default) if has_default else None, bool(has_default), kwarg_only, info)


@functools.lru_cache(maxsize=None)
def parsed(text: str) -> FunctionSchema:
    """The schema of a text such as 'add.Tensor(Tensor self, Tensor other) -> Tensor'."""
    head, _, results = text.rpartition(" -> ")
    name, _, arguments = head.partition("(")
    name, _, overload = name.partition(".")
    listed, kwarg_only = [], False
    for part in _parts(arguments[:-1]):
        if part == "*":
            kwarg_only = True
        else:
            listed.append(_argument(part, kwarg_only))
    returned = _parts(results[1:-1]) if results.startswith("(") else [results]
    return FunctionSchema(f"aten::{name}", overload, listed, [_argument(r, False) for r in returned], text)


@functools.lru_cache(maxsize=1)
def table() -> dict[str, dict[str, tuple[str, bool]]]:
    """{name: {overload: (schema, whether PyTorch makes it of others)}}."""
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    for line in (Path(__file__).parent / "aten.txt").read_text(encoding="utf-8").splitlines():
        text = line.removeprefix("~")
        name, _, overload = text.partition("(")[0].partition(".")
        found.setdefault(name, {})[overload or "default"] = text, line.startswith("~")
    return found
