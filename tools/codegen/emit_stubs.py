"""Stubs of the Python package, and torch_np/_operators.json: what the tests know of each entry."""

from __future__ import annotations

import json
import keyword
from pathlib import Path
from string import Template

from tools.codegen import docs
from tools.codegen.emit_bindings import Python, Row, results
from tools.codegen.model import Entry, Return, Type
from tools.codegen.signatures import Overload, Param, Result

MODULE = Template("""\
# Generated from native_functions.yaml.
# mypy: ignore-errors
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

from torch_np import return_types as return_types
from torch_np._C import ArrayLike, DTypeLike, Size as Size, Tensor as Tensor, _bool, _float, _int, _str, device as device
from torch_np._C import dtype as dtype, ndarray as ndarray, ufunc as ufunc
$imports
$definitions
def __getattr__(name: _str) -> Any: ...
""")

RETURN_TYPES = Template("""\
# Generated from native_functions.yaml.
from typing import NamedTuple

from torch_np._C import Tensor

$classes""")

HAND_WRITTEN = "from {} import *\n"


def files(entries: list[Entry], python: Python, package: Path) -> dict[str, str]:
    """`package`: the folder torch_np, whose hand-written modules the stubs re-export."""
    result = {"_operators.json": operators_json(entries), "_C/__init__.pyi": extension(python)}
    for compat in (False, True):
        names = {r.package for r in [*python.functions, *python.ufuncs] if r.compat == compat} | {""}
        for name in sorted(names):
            folder = Path("numpy" if compat else ".") / name.replace(".", "/")
            is_folder = not name or (package / folder / "__init__.py").exists()
            stub = folder / "__init__.pyi" if is_folder else folder.with_suffix(".pyi")
            result[str(stub)] = module(python, compat, name, package, folder)
    classes = "".join(named_tuple(r) for r in results(python.bindings) if not r.compat)
    return result | {"return_types.pyi": RETURN_TYPES.substitute(classes=classes)}


def named_tuple(r: Result) -> str:
    fields = "".join(f"    {f}: {'ndarray' if r.compat else 'Tensor'}\n" for f in r.fields)
    return f"class {r.name}(NamedTuple):\n{fields}\n"


def extension(python: Python) -> str:
    template = Template((Path(__file__).parent / "_C.pyi.in").read_text())
    methods = {c: "".join(function(r, "    ") for r in python.methods if r.compat == c) for c in (False, True)}
    return template.substitute(tensor_methods=methods[False], ndarray_methods=methods[True])


def module(python: Python, compat: bool, name: str, package: Path, folder: Path) -> str:
    dotted = ".".join(["torch_np", *(p for p in folder.parts)])
    modules = [p for p in sorted((package / folder).glob("_*.py")) if p.stem != "__init__"]
    if not compat:  # those that say what is public
        modules = [p for p in modules if "\n__all__ = " in p.read_text()]
    imports = [HAND_WRITTEN.format(f"{dotted}.{p.stem}") for p in modules]
    inside = package / folder
    subpackages = sorted({p.parent.name for p in inside.glob("*/__init__.py")} | {p.stem for p in inside.glob("[a-z]*.py")})
    imports += [f"from {dotted} import {s} as {s}\n" for s in subpackages]
    rows = [r for r in python.functions if r.compat == compat and r.package == name]
    text = "".join(named_tuple(r) for r in results(python.bindings) if compat and r.compat and r.package == name)
    text += "".join(function(r, "") for r in rows)
    if compat:
        text += "".join(f"{r.name}: ufunc\n" for r in python.ufuncs if r.package == name)
    return MODULE.substitute(imports="".join(imports), definitions=text)


def function(row: Row, indent: str) -> str:
    """All overloads of one name."""
    signatures = list(dict.fromkeys(signature(row, o) for o in row.overloads))
    decorator = f"{indent}@overload\n" if len(signatures) > 1 else ""
    return "".join(f"{decorator}{indent}def {s}: ...\n" for s in signatures)


def signature(row: Row, o: Overload) -> str:
    params = o.params[1:] if row.method else o.params
    parts = ["self"] if row.method else []
    star = False
    for i, p in enumerate(params):
        if p.var_args and not star:
            parts.append(f"*{p.name}: Any")
            star = True
            continue
        if "kKeywordOnly" in p.flags and not star:
            parts.append("*")
            star = True
        parts.append(parameter(p) + ("" if p.default is None else f" = {docs.default_text(p)}"))
        if "_device" in p.aliases and "kKeywordOnly" in p.flags:
            parts.append("_device: Any | None = None")
        if "kPositionalOnly" in p.flags and not (i + 1 < len(params) and "kPositionalOnly" in params[i + 1].flags):
            parts.append("/")
    named = f"{'' if row.compat else 'return_types.'}{o.result.name}" if o.result else ""
    return f"{row.name}({', '.join(parts)}) -> {named or returns(o.entry.schema.returns, row.compat)}"


def parameter(p: Param) -> str:
    name = f"{p.name}_" if keyword.iskeyword(p.name) else p.name
    kind = annotation(p)
    return f"{name}: {kind}{' | None' if 'kNullable' in p.flags and kind != 'Any' else ''}"


PLAIN = {"Int": "_int", "Float": "_float", "Bool": "_bool", "Scalar": "complex", "String": "_str", "IntList": "_int | Sequence[_int]",
         "FloatList": "Sequence[_float]", "BoolList": "Sequence[_bool]",
         "ArrayLike": "ArrayLike", "ArrayLikeList": "Sequence[ArrayLike] | ArrayLike", "Tensor": "Tensor | ndarray",
         "TensorOrNumber": "Tensor | ndarray | complex", "TensorList": "Sequence[Tensor | ndarray]", "Order": "_str", "Casting": "_str",
         "Dtype": "DTypeLike"}


def annotation(p: Param) -> str:
    return PLAIN.get(p.kind, "Any")


RETURNED = {"int": "_int", "float": "_float", "bool": "_bool", "Scalar": "complex", "str": "_str", "ScalarType": "Any"}


def returns(values: tuple[Return, ...], compat: bool) -> str:
    def one(t: Type) -> str:
        if t.base in ("Tensor", "np.ndarray"):
            name = "ndarray" if compat else "Tensor"
            return name if not t.is_list else f"list[{name}]" if compat else f"tuple[{name}, ...]"
        return "..." if t.base == "..." else RETURNED.get(t.base, "Any")

    if not values:
        return "None"
    if len(values) == 1:
        return one(values[0].type)
    return f"tuple[{', '.join(one(v.type) for v in values)}]"


# ---------------------------------------------------------------------------------------------------- _operators.json

def operators_json(entries: list[Entry]) -> str:
    return json.dumps([describe(e) for e in entries], indent=1) + "\n"


def describe(e: Entry) -> dict:
    d = {
        "name": e.name, "overload": e.schema.overload, "full_name": e.schema.full_name, "schema": e.schema.text,
        "file": e.file, "line": e.line, "np_compat": e.np_compat, "package": e.package, "aliases": list(e.aliases),
        "variants": list(e.variants),
        "arguments": [{"name": a.name, "type": str(a.type), "default": a.default, "keyword_only": a.keyword_only,
                       "positional_only": a.positional_only} for a in e.schema.arguments],
        "returns": [{"name": r.name, "type": str(r.type)} for r in e.schema.returns],
    }
    if e.np_compat:
        u = e.ufunc
        d |= {"native": e.native, "translations": e.additional_translations,
              "ufunc": {"reduce": u.reduce, "accumulate": u.accumulate, "identity": u.identity} if u else None}
    else:
        d |= {"hidden": e.hidden, "kind": e.kind, "functor": e.pointwise or e.reduction, "promotion": e.promotion,
              "dtypes": e.dtypes, "derivative": e.differentiable,
              "nondifferentiable": e.nondifferentiable, "domain": list(e.domain) if e.domain else None}
    return d
