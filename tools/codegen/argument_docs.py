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
    """All described arguments of the overloads, each name once; '' if there are none. Overloads may
    describe an argument in different ways."""
    described: dict[str, list[str]] = {}
    defaults: dict[str, str] = {}
    for o in overloads:
        for i, p in enumerate(o.params):
            if p.name.startswith("_"):
                continue
            name = f"{p.shown_name} (self)" if method and i == 0 and p.name != "self" else p.shown_name
            texts = described.setdefault(name, [])
            own = own_text(o, p)
            if own and own not in texts:
                texts.append(own)
            defaults[name] = defaults.get(name) or default_text(o, p)
    lines = {name: " Or: ".join(texts) or defaults[name] for name, texts in described.items()}
    return "\n".join(["Args:", *(item(name, text) for name, text in lines.items() if text)]) if any(lines.values()) else ""


def item(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", LINE, initial_indent="  ", subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False)


def own_text(o: Overload, p: Param) -> str:
    """The description that the face's entry or the native entry gives."""
    text = o.entry.arguments.get(p.name) or o.translated(o.native.arguments.get(p.slot, ""))
    return f"{text} {written(o, p)}".strip() if text else ""


def default_text(o: Overload, p: Param) -> str:
    name = p.name if p.ignored else p.slot
    texts = (table()[section][name] for section in sections(o, p) if name in table().get(section, {}))
    return f"{o.translated(next(texts, ''))} {written(o, p)}".strip()


def written(o: Overload, p: Param) -> str:
    """What variants in place add to the description of their first argument."""
    return table()["in place"].get(p.slot, "") if o.inplace else ""


def sections(o: Overload, p: Param) -> list[str]:
    """The sections of the table that apply, in the order in which they are searched."""
    if p.ignored:
        return ["not implemented"]
    one = ["one operand"] if o.native.pointwise and len(o.native.schema.arguments) == 1 else []
    several = ["several results"] if len(o.native.schema.returns) > 1 else []
    face = "numpy" if o.compat else "torch"
    return [*one, o.native.kind, o.native.family, *(f"{s}, {face}" for s in several), face, "default"]


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """The default descriptions: for each section, a mapping from native names of arguments."""
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
