"""Docstrings: the text signature that inspect.signature reads, and the entry's documentation with
the face's names.

For pointwise operators, `field_rules` derives `Shapes:` and `Errors:` from the entry.
"""

from __future__ import annotations

import re
import textwrap

from tools.codegen import argument_docs, field_rules
from tools.codegen.model import is_literal
from tools.codegen.signatures import Overload, Param


def text_signature(params: tuple[Param, ...], method: bool) -> str:
    """`a, axis=None, *, out=None`. Non-literal defaults are shown as `...`; names with a leading
    underscore are hidden."""
    parts = ["$self", "/"] if method else []
    params = tuple(p for p in params[1 if method else 0:] if not p.name.startswith("_"))
    if method and params and "kPositionalOnly" in params[0].flags:
        parts.pop()
    star = False
    for i, p in enumerate(params):
        name = p.shown_name
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


def default_text(p: Param) -> str:
    assert p.default is not None
    return p.default if is_literal(p.default) or re.fullmatch(r"\((None, )*None\)", p.default) else "..."


def docstring(name: str, overloads: list[Overload], method: bool) -> str:
    first = widest(overloads)
    text = f"{name}({text_signature(first.params, method)})\n--\n"
    more = [f"{name}({text_signature(o.params, False)})" for o in overloads if o is not first]
    if more:
        text += "\n" + "\n".join(f"Also {m}" for m in dict.fromkeys(more)) + "\n"
    doc = plain(overloads, method)
    return text + (f"\n{doc}" if doc else "")


def widest(overloads: list[Overload]) -> Overload:
    """The overload that accepts the calls of all other overloads; if none does, the first
    overload."""
    return next((o for o in overloads if all(covers(o, other) for other in overloads)), overloads[0])


def plain(overloads: list[Overload], method: bool = False) -> str:
    """The documentation of all overloads, without signatures and duplicates. Fields missing in all
    overloads are derived from the first pointwise one."""
    bodies = [body(o) for o in overloads]
    i = next((i for i, o in enumerate(overloads) if o.native.pointwise), None)
    if i is not None:
        for field, rule in (("Shapes", field_rules.shapes), ("Errors", field_rules.errors)):
            text = rule(overloads[i])
            if text and not any(has_field(b, field) for b in bodies):
                bodies[i] = with_field(bodies[i], f"{field}: {text}")
    doc = "\n".join(f"{b}\n" for b in dict.fromkeys(bodies) if b)
    first = widest(overloads)
    return with_arguments(doc, argument_docs.section([first, *(o for o in overloads if o is not first)], method))


FIELDS = ("Shapes:", "Dtypes:", "Errors:", "Source")  # in this order; also Sources:


def has_field(doc: str, field: str) -> bool:
    """Whether the field occurs at the start of a line, or after the last sentence of another
    field."""
    return re.search(rf"(^|(?<=[.;)] )){field}: ", doc, re.MULTILINE) is not None


def with_arguments(doc: str, section: str) -> str:
    """Inserts the section `Args:` before the first paragraph of fields, or at the end."""
    if not section:
        return doc
    lines = doc.split("\n")
    start = next((i for i, line in enumerate(lines) if line.startswith(FIELDS)), len(lines))
    parts = ("\n".join(lines[:start]).strip(), section, "\n".join(lines[start:]).strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def with_field(doc: str, text: str) -> str:
    """Adds a field to the documentation, on its own lines in the paragraph of fields."""
    lines = doc.split("\n") if doc else []
    text = textwrap.fill(text, argument_docs.LINE, break_long_words=False, break_on_hyphens=False)
    start = next((i for i, line in enumerate(lines) if line.startswith(FIELDS)), None)
    if start is None:
        return "\n".join([*lines, *([""] if lines else []), text])
    later = FIELDS[[text.startswith(f) for f in FIELDS].index(True) + 1:]
    end = next((i for i in range(start, len(lines)) if not lines[i] or lines[i].startswith(later)), len(lines))
    return "\n".join([*lines[:end], text, *lines[end:]])


def covers(o: Overload, other: Overload) -> bool:
    """Whether `o` accepts every call of `other`, judged by names and defaults."""
    theirs = {p.name: p for p in other.params}
    return (all(n in {p.name for p in o.params} for n in theirs)
            and all(p.default is not None or p.name in theirs and theirs[p.name].default is None for p in o.params))


def body(o: Overload) -> str:
    return o.entry.doc if o.entry.doc or not o.compat else o.translated(o.native.doc)


def c_string(text: str) -> str:
    lines = text.split("\n")
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') + ("\\n" if i + 1 < len(lines) else "") for i, line in enumerate(lines)]
    return "\n        ".join(f'"{line}"' for line in escaped if line) or '""'
