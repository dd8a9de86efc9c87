"""The section `Args:` of a docstring: a description of each argument.

An entry describes its arguments under `arguments:`. Arguments that many operators share have their
descriptions in argument_docs.yaml.
"""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

import yaml

from tools.codegen.signatures import Overload, Param

LINE = 100  # the line length of docstrings


def section(overloads: list[Overload], method: bool) -> str:
    """Returns the section for all overloads, with each argument once; '' if no argument has a
    description. If overloads describe an argument in several ways, all of them are listed."""
    own: dict[str, list[str]] = {}
    defaults: dict[str, str] = {}
    for o in overloads:
        for i, p in enumerate(o.params):
            if p.name.startswith("_"):
                continue
            name = f"{p.shown_name} (self)" if method and i == 0 and p.name != "self" else p.shown_name
            own.setdefault(name, []).append(own_text(o, p))
            defaults.setdefault(name, default_text(o, p))
    texts = {name: " Or: ".join(dict.fromkeys(filter(None, own[name]))) or defaults[name] for name in own}
    items = [item(name, text) for name, text in texts.items() if text]
    return "\n".join(["Args:", *items]) if items else ""


def item(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", LINE, initial_indent="  ", subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False)


def own_text(o: Overload, p: Param) -> str:
    """The description that the face's entry or the native entry gives."""
    text = o.entry.arguments.get(p.name) or o.translated(o.native.arguments.get(p.slot, ""))
    return with_note(text, o, p)


def default_text(o: Overload, p: Param) -> str:
    name = p.name if p.ignored else p.slot
    texts = (table()[section][name] for section in sections(o, p) if name in table().get(section, {}))
    return with_note(o.translated(next(texts, "")), o, p)


def with_note(text: str, o: Overload, p: Param) -> str:
    """For an in-place variant, adds a sentence to the description of the first argument."""
    note = table()["in place"].get(p.slot) if o.inplace else None
    return f"{text} {note}" if text and note else text


def sections(o: Overload, p: Param) -> list[str]:
    """The sections of the table that apply, in the order in which they are searched."""
    if p.ignored:
        return ["not implemented"]
    schema, face = o.native.schema, "numpy" if o.compat else "torch"
    one = ["one operand"] if o.native.pointwise and len(schema.arguments) == 1 else []
    several = [f"several results, {face}"] if len(schema.returns) > 1 else []
    return [*one, o.native.kind, o.native.family, *several, face, "default"]


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """The default descriptions: for each section, a mapping from native names of arguments."""
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
