"""Writes the reference in reStructuredText: the signature, docstring, example and source location
of each public name.

Each page of docs/examples is a page of the reference; names without an example are on the page of
their module. Docstrings are plain text with names in backticks. Paragraphs that begin with
'Shapes:', 'Dtypes:', 'Errors:' or 'Source:' become fields, and the lines under 'Args:' parameters.
"""

from __future__ import annotations

import functools
import inspect
import json
import pathlib
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from tools.documentation import examples, public_names
from torch_np import nn

ROOT = examples.ROOT
FIELDS = re.compile(r"(?:^|(?<=[.;)] )|(?<=\n))(Shapes|Dtypes|Errors|Sources?): ")
ARGUMENT = re.compile(r"^  (\w+)(?: \(self\))?: ", re.MULTILINE)
HEAD = ("``np`` is ``torch_np.numpy``, ``torch`` is ``torch_np``, ``nn``, ``F`` and ``optim`` are ``torch_np.nn``, "
        "``torch_np.nn.functional`` and ``torch_np.optim``.")
NUMPYS_MANUAL = "https://numpy.org/doc/stable/reference"
KINDS = {
    "executed": "The installed NumPy's source, executed over ``torch_np.numpy``: these compute on its arrays, with gradients and on "
                "devices.",
    "mirrors": "NumPy's own functions, which get views of ``torch_np.numpy``'s arrays; arrays that they give are ``torch_np.numpy``'s "
               "again, if it has their dtype.",
    "assertions": "NumPy's own assertions, which are given the values of arrays, of those on a device and with a gradient, too.",
    "the same objects": "The same objects as NumPy's.",
}


def rst(text: str) -> str:
    """A docstring paragraph on one line: `names` become literals, all other markup is escaped."""
    parts = re.split(r"`([^`\n]+)`", re.sub(r"\s+", " ", text.strip()))
    parts[::2] = [re.sub(r"([\\*_|`<>:])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"\\ ``{part.strip()}``\\ " for part in parts[1::2]]
    line = "".join(parts)
    return f"\\{line}" if re.match(r"[^\w\\]|\w{1,3}[.)] ", line) else line


def paragraphs(doc: str) -> Iterator[str]:
    """The text of a docstring as reStructuredText: paragraphs, indented blocks verbatim, arguments
    and fields at the end."""
    arguments: list[str] = []
    fields: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        if all(line.startswith("    ") for line in block.splitlines()):
            yield "::\n\n" + textwrap.indent(textwrap.dedent(block), "    ")
            continue
        if block.startswith("Args:\n"):
            _, *rest = ARGUMENT.split(block)
            arguments += [f":param {rst(name)}: {rst(text)}" for name, text in zip(rest[::2], rest[1::2])]
            continue
        first, *rest = FIELDS.split(block)
        if first.strip():
            yield rst(first)
        fields += [f":{name}: {rst(text)}" for name, text in zip(rest[::2], rest[1::2]) if text.strip()]
    if arguments or fields:
        yield "\n".join([*arguments, *fields])


def of_face(doc: str, module: str) -> str:
    """Selects the face's exceptions in a docstring: one of 'RuntimeError (np: ValueError)'."""
    return re.sub(r"(\w+) \(np: (\w+)\)", r"\2" if module.startswith("torch_np.numpy") else r"\1", doc)


def signature(value: Any) -> str:
    """Names and defaults, without `self`; `...` for defaults that are not numbers, strings or names
    of constants."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    shown = []
    for p in found.parameters.values():
        if p.name == "self" and not shown:
            continue
        default = p.default
        if default is not p.empty and not re.fullmatch(r"[\w.+-]+|'[^']*'|\([\w., +-]*\)|\[\]", repr(default)):
            default = ...
        shown.append(p.replace(annotation=p.empty, default=default))
    text = str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))
    return text.replace("Ellipsis", "...")


@functools.cache
def classes_of_file(path: pathlib.Path) -> dict[str, int]:
    return {m[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if (m := re.match(r"class (\w+)", line))}


def line_of_class(path: pathlib.Path, name: str) -> int | None:
    """The line of a class in a file; inspect would parse the whole file for each class."""
    return classes_of_file(path).get(name)


def attributes(cls: type) -> list[str]:
    """Descriptions of an object's attributes and methods, from its class and from private base
    classes."""
    private = [c for c in cls.__mro__ if c.__name__.startswith("_")]
    own = {name: value for c in reversed(private) for name, value in vars(c).items() if not name.startswith("_") and value.__doc__}
    return [rst(f"`{name}{'' if isinstance(value, property) else '()'}`: {value.__doc__}") for name, value in own.items()]


class Described:
    """A public name: its object, its documentation, and its source location."""

    operators: dict[tuple[str, bool], dict[str, Any]] = {}

    def __init__(self, module: str, name: str, value: Any):
        self.module, self.name, self.value = module, name, value
        doc = inspect.getdoc(value) or ""
        if inspect.isclass(value) and issubclass(value, nn.Module) and value.forward is not nn.Module.forward and "Shapes: " not in doc:
            doc += "\n\n" + (inspect.getdoc(value.forward) or "")  # forward() documents the shapes
        self.is_numpys = (getattr(value, "__module__", None) or "").split(".")[0] == "numpy" and "Parameters\n---" in doc
        doc = re.sub(rf"\A{re.escape(name)}\([^\n]*\)\n(--\n)?", "", doc).strip()  # a ufunc's signature
        if self.is_numpys or re.search(r"^(Parameters|Examples)\n-+$|^\.\. |^:\w", doc, re.MULTILINE):
            doc = f"{doc.split(chr(10) * 2)[0]}\n\nNumPy's own object: its documentation says more."
        self.is_object = public_names.is_object(value, module)
        self.more = [f"({m})" for m in re.findall(rf"^Also {re.escape(name)}\((.*)\)$", doc, re.MULTILINE)]
        self.doc = of_face(re.sub(r"^Also \w+\(.*\)$\n?", "", doc, flags=re.MULTILINE).strip(), module)

    def kind(self) -> str:
        if self.module in public_names.CLASSES:
            return "method"
        if self.is_object:
            return "data"
        return "class" if inspect.isclass(self.value) else "function"

    def source(self) -> tuple[str, int] | None:
        """The file, relative to the repository root, and line: of Python's definition, or of the
        operator's entry in the yaml."""
        definition = type(self.value) if self.is_object else inspect.unwrap(self.value)
        code = getattr(definition, "__code__", None)
        module = sys.modules.get(getattr(definition, "__module__", None) or "")
        # A class is often published by another module than the one that it is written in, as its
        # methods are.
        methods = (getattr(f, "__code__", None) for f in vars(definition).values()) if inspect.isclass(definition) else ()
        written = next((c.co_filename for c in (code, *methods) if c and c.co_filename.endswith(".py")), None)
        path = pathlib.Path(written or getattr(module, "__file__", None) or "").resolve()
        if path.suffix == ".py" and any(path.is_relative_to(ROOT / package) for package in ("torch_np", "torch_np_dask")):
            line = code.co_firstlineno if code else line_of_class(path, getattr(definition, "__name__", ""))
            if line:
                return str(path.relative_to(ROOT)), line
        entry = None if self.is_object else self.operator()
        return (entry["file"], entry["line"]) if entry else None

    def operator(self) -> dict[str, Any] | None:
        if not Described.operators:
            for entry in json.loads((ROOT / "torch_np/_operators.json").read_text()):
                for name in (entry["full_name"], entry["name"], *entry["aliases"]):
                    Described.operators.setdefault((name.replace("::", "."), entry["np_compat"]), entry)
        compat = self.module.startswith("torch_np.numpy")
        inner = re.sub(r"^torch_np(\.numpy)?\.?|(ndarray|Tensor)$", "", self.module).replace("nn.functional", "nn")
        named = getattr(self.value, "__name__", self.name)
        for name in (f"{inner}.{self.name}", f"{inner}_{self.name}", self.name, named):
            for side in (compat, not compat):
                if (name.strip("._"), side) in Described.operators:
                    return Described.operators[name.strip("._"), side]
        return None


def described(thing: Described, entry: examples.Entry | None, sources: set[str], also: list[str]) -> str:
    """The directive of a name."""
    full = f"{thing.module}.{thing.name}"
    heads = dict.fromkeys([signature(thing.value), *thing.more]) if not thing.is_object else {"": None}
    indent = f"\n{' ' * len(f'.. py:{thing.kind()}:: ')}"
    body = list(paragraphs(thing.doc)) if thing.doc else []
    if thing.is_object:
        shows_itself = not repr(thing.value).startswith("<")
        body = [rst(f"`{thing.value!r}`")] * shows_itself + body + attributes(type(thing.value))
    if also:
        body.append(f"Also {', '.join(f'``{name}``' for name in also)}.")
    if entry:
        body.append(".. code-block:: pycon\n\n" + textwrap.indent(entry.text.replace("<BLANKLINE>", ""), "    ").rstrip())
    if found := thing.source():
        sources.add(found[0])
        body.append(f"Written in `{found[0]}, line {found[1]} <../_source/{found[0]}.html#line-{found[1]}>`__.")
    # One module per page, given by full names: `py:currentmodule` would require a single
    # declaration in all pages.
    return f".. py:{thing.kind()}:: {indent.join(full + head for head in heads)}\n\n" + textwrap.indent("\n\n".join(body), "   ") + "\n"


def heading(text: str, rule: str = "=") -> str:
    return f"{text}\n{rule * len(text)}\n"


class Reference:
    """Writes the pages into a folder, and collects the source files that they link to."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.sources: set[str] = set()
        self.first = public_names.first_names()

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        pages = examples.pages()
        for module in [*public_names.MODULES, *public_names.CLASSES]:
            own = [page for page in pages if page.module == module]
            if module in public_names.MODULES:
                names = public_names.of_module(module)
            else:
                names = {name: value for name, value in public_names.of_class(module).items()
                         if public_names.function_of_method(module, name) is None}
            for page in own:
                self.save(page.path.stem, self.page(page, names))
            self.save(f"{module}.index", self.module(module, own, names))
        self.save("numpys_modules", self.numpys_modules())
        self.save("index", self.index())

    def save(self, name: str, text: str) -> None:
        (self.folder / f"{name}.rst").write_text(text)

    def page(self, page: examples.Page, names: dict[str, Any]) -> str:
        parts = [heading(page.title), f"Of ``{page.module}``. In the examples {HEAD}\n"]
        if page.device == "cuda":
            parts.append("The examples were run on the emulated GPU, which is what they name.\n")
        if page.needs == "mpi":
            parts.append("The examples were run by a single process, which is what they print.\n")
        shown: set[int] = set()
        for entry in page.entries:
            for name in entry.names:
                if name not in names or id(names[name]) in shown:  # a module that is called, or a name that refuses
                    continue
                shown.add(id(names[name]))
                also = [n for n in entry.names if n != name and names.get(n) is names[name]]
                also += [f"{page.module}.{name}_"] * (f"{name}_" in names)
                parts.append(described(Described(page.module, name, names[name]), entry, self.sources, also))
        return "\n".join(parts)

    def module(self, module: str, own: list[examples.Page], names: dict[str, Any]) -> str:
        """The contents of a module or class with links; names without a page of examples are
        described in full."""
        what = public_names.MODULES.get(module, "methods of the class")
        parts = [heading(module), f"{what[0].upper()}{what[1:]}.\n"]
        if own:
            parts.append(".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {page.path.stem}\n" for page in own))
        placed = {name for page in own for entry in page.entries for name in entry.names}
        rest = {name: value for name, value in names.items() if name not in placed
                and public_names.function_of_variant(names, name) not in placed}
        elsewhere = {name: self.first[id(value)] for name, value in rest.items()
                     if self.first.get(id(value), "").rpartition(".")[0] not in ("", module)}
        if module in public_names.CLASSES:
            elsewhere |= {name: full for name in public_names.of_class(module) if (full := public_names.function_of_method(module, name))}
        for name, value in rest.items():
            if name not in elsewhere:
                parts.append(described(Described(module, name, value), None, self.sources, []))
        if elsewhere:
            parts.append(heading("Described elsewhere", "-"))
            parts.append("\n".join(f"* ``{name}``: :py:obj:`{self.link(full)}`" for name, full in elsewhere.items()) + "\n")
        return "\n".join(parts)

    def link(self, full: str) -> str:
        """The name with the description: `add` for `add_`; for an alias, the name that its page
        uses."""
        module, _, name = full.rpartition(".")
        names = public_names.of_module(module)
        name = public_names.function_of_variant(names, name) or name
        entry = examples.by_name().get(module, {}).get(name)
        if entry:
            name = next(n for n in entry.names if names[n] is names[name])
        return f"{module}.{name}"

    def numpys_modules(self) -> str:
        """The page of the modules that NumPy's own documentation describes."""
        parts = [heading("Modules of NumPy's face that are NumPy's"), "NumPy's manual describes their contents.\n"]
        for kind, modules in public_names.NUMPYS_MODULES.items():
            parts.append(f"{KINDS[kind]}\n")
            parts.append("".join(f"* ``{module}``: `NumPy on {module.removeprefix('torch_np.')} <{NUMPYS_MANUAL}/{page}.html>`__\n"
                                 for module, page in modules.items()))
        return "\n".join(parts)

    def index(self) -> str:
        entries = "".join(f"   {name}\n" for name in [*(f"{module}.index" for module in public_names.MODULES), "numpys_modules",
                                                      *(f"{cls}.index" for cls in public_names.CLASSES)])
        return (heading("Reference") + "\nAll public functions and classes of both faces, with examples that the tests run.\n"
                "\n\n.. toctree::\n   :maxdepth: 2\n\n" + entries)
