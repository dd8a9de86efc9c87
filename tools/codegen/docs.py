"""Docstrings: the text signature that inspect.signature reads, and the doc of the entry in the face's own words."""

from __future__ import annotations

import keyword
import re

from tools.codegen.model import is_literal
from tools.codegen.signatures import Overload, Param


def text_signature(params: tuple[Param, ...], method: bool) -> str:
    """`a, axis=None, *, out=None`. Defaults that are no literals are shown as `...`; what NumPy has no word for is not shown."""
    parts = ["$self", "/"] if method else []
    params = tuple(p for p in params[1 if method else 0:] if not p.name.startswith("_"))
    if method and params and "kPositionalOnly" in params[0].flags:
        parts.pop()
    star = False
    for i, p in enumerate(params):
        name = shown_name(p.name)
        if "kKeywordOnly" in p.flags and not star:
            parts.append("*")
            star = True
        if p.var_args and not star:
            parts.append(f"*{name}")
            star = True
        else:
            parts.append(name + (f"={default_text(p)}" if p.default is not None else ""))
        if "kPositionalOnly" in p.flags and not (i + 1 < len(params) and "kPositionalOnly" in params[i + 1].flags):
            parts.append("/")
    return ", ".join(parts)


def shown_name(name: str) -> str:
    """A parameter's name in signatures and stubs, where words of Python's cannot stand (`from`)."""
    return f"{name}_" if keyword.iskeyword(name) else name


def default_text(p: Param) -> str:
    assert p.default is not None
    return p.default if is_literal(p.default) or re.fullmatch(r"\((None, )*None\)", p.default) else "..."


def docstring(name: str, overloads: list[Overload], method: bool) -> str:
    first = next((o for o in overloads if all(covers(o, other) for other in overloads)), overloads[0])
    text = f"{name}({text_signature(first.params, method)})\n--\n"
    more = [f"{name}({text_signature(o.params, False)})" for o in overloads if o is not first]
    if more:
        text += "\n" + "\n".join(f"Also {m}" for m in dict.fromkeys(more)) + "\n"
    doc = plain(overloads)
    return text + (f"\n{doc}" if doc else "")


def plain(overloads: list[Overload]) -> str:
    """Without signatures: of every overload what it says, each text once."""
    return "\n".join(f"{b}\n" for b in dict.fromkeys(body(o) for o in overloads) if b)


def covers(o: Overload, other: Overload) -> bool:
    """Whether every call of `other` is one of `o` by its names and defaults."""
    theirs = {p.name: p for p in other.params}
    return (all(n in {p.name for p in o.params} for n in theirs)
            and all(p.default is not None or p.name in theirs and theirs[p.name].default is None for p in o.params))


def body(o: Overload) -> str:
    if o.entry.doc or not o.compat:
        return o.entry.doc
    names = o.native_names()
    return re.sub(r"`(\w+)`", lambda m: f"`{names.get(m[1], m[1])}`", o.native.doc)


def c_string(text: str) -> str:
    lines = text.split("\n")
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') + ("\\n" if i + 1 < len(lines) else "") for i, line in enumerate(lines)]
    return "\n        ".join(f'"{line}"' for line in escaped if line) or '""'
