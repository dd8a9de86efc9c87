"""Stubs of the Python package, and torch_np/_operators.json, the tests' description of each
entry."""

from __future__ import annotations

import json
from pathlib import Path
from string import Template

from tools.codegen import docs
from tools.codegen.emit_bindings import Python, Row, results
from tools.codegen.model import Entry, Return, Type
from tools.codegen.signatures import Overload, Param, Result

STUBS = Path(__file__).parent / "stubs"  # stubs of hand-written code in csrc

MODULE = Template("""\
# Generated from native_functions.yaml.
from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsIndex, overload

import numpy

from torch_np._C import Generator, Size, Tensor, _bool, _float, _int, _return_types, _str, ndarray, ufunc
from torch_np._C import _gufunc_2_1, _ufunc_1_1, _ufunc_1_2, _ufunc_2_1, _ufunc_2_2
from torch_np._torch.memory_format import memory_format as _memory_format
from torch_np._typing import ArrayLike, DeviceLike, DTypeLike, Float, Ints, Number, Out, TensorLike

$definitions""")

RETURN_TYPES = Template("""\
# Generated from native_functions.yaml.
from _typeshed import structseq
from typing import Final, final

from torch_np._C import Tensor

$classes""")


def files(entries: list[Entry], python: Python) -> dict[str, str]:
    """One stub for each module of the extension; the package's own modules are Python with annotations."""
    classes = "".join(struct_sequence(r) for r in results(python.bindings) if not r.compat)
    stubs = {"_return_types": RETURN_TYPES.substitute(classes=classes)}
    stubs |= {name.name.removesuffix(".pyi.in"): name.read_text() for name in STUBS.glob("_c*.pyi.in")}
    for compat in (False, True):
        for package in sorted({r.package for r in [*python.functions, *python.ufuncs] if r.compat == compat} | {""}):
            stubs[module_name(compat, package)] = module(python, compat, package)
    stubs["__init__"] = extension(python, sorted(stubs))
    return {"_operators.json": operators_json(entries)} | {f"_C/{name}.pyi": text for name, text in sorted(stubs.items())}


def module_name(compat: bool, package: str) -> str:
    """The module's name in csrc."""
    return "_" + "_".join([("numpy" if compat else "torch"), *package.split(".")]).rstrip("_")


def named_tuple(r: Result) -> str:
    fields = "".join(f"    {f}: ndarray\n" for f in r.fields)
    return f"class {r.name}(NamedTuple):\n{fields}\n"


def struct_sequence(r: Result) -> str:
    fields = f"    __match_args__: Final = {r.fields}\n".replace("'", '"')
    fields += "".join(f"    @property\n    def {f}(self) -> Tensor: ...\n" for f in r.fields)
    return f"@final\nclass {r.name}(structseq[Tensor], tuple[{', '.join(['Tensor'] * len(r.fields))}]):\n{fields}\n"


def extension(python: Python, modules: list[str]) -> str:
    methods = {c: "".join(function(r, "    ") for r in python.methods if r.compat == c) for c in (False, True)}
    return Template((STUBS / "__init__.pyi.in").read_text()).substitute(
        modules=", ".join(f"{m} as {m}" for m in modules), tensor_methods=methods[False], ndarray_methods=methods[True])


def module(python: Python, compat: bool, package: str) -> str:
    name = module_name(compat, package)
    by_hand = STUBS / f"{name}.pyi.in"
    text = by_hand.read_text() if by_hand.exists() else ""
    text += "".join(named_tuple(r) for r in results(python.bindings) if compat and r.compat and r.package == package)
    text += "".join(function(r, "") for r in python.functions if r.compat == compat and r.package == package)
    if compat:
        text += "".join(f"{r.name}: {ufunc(r)}\n" for r in python.ufuncs if r.package == package)
    return MODULE.substitute(definitions=text)


def ufunc(row: Row) -> str:
    o = row.overloads[0]
    kind = "gufunc" if o.entry.gufunc else "ufunc"
    return f"_{kind}_{len(o.native.schema.tensors)}_{len(o.native.schema.returns)}"


def function(row: Row, indent: str) -> str:
    """The stub of all overloads of one name."""
    signatures = list(dict.fromkeys(signature(row, o) for o in row.overloads))
    decorator = f"{indent}@overload\n" if len(signatures) > 1 else ""
    return "".join(f"{decorator}{indent}def {s}: ...\n" for s in signatures)


def signature(row: Row, o: Overload) -> str:
    params = o.params[1:] if row.method else o.params
    parts = ["self"] if row.method else []
    star = False
    for i, p in enumerate(params):
        if p.var_args and not star:
            parts.append(f"*{p.name}: {annotation(p)}")
            star = True
            continue
        if "kKeywordOnly" in p.flags and not star:
            parts.append("*")
            star = True
        parts.append(parameter(p) + ("" if p.default is None else f" = {docs.default_text(p)}"))
        if "_device" in p.aliases and "kKeywordOnly" in p.flags:
            parts.append("_device: DeviceLike | None = None")
        if "kPositionalOnly" in p.flags and not (i + 1 < len(params) and "kPositionalOnly" in params[i + 1].flags):
            parts.append("/")
    named = f"{'_return_types.' if not row.compat else '' if not row.method else '_numpy.'}{o.result.name}" if o.result else ""
    return f"{row.name}({', '.join(parts)}) -> {named or returns(o.entry.schema.returns, row.compat)}"


def parameter(p: Param) -> str:
    name = p.shown_name
    kind = annotation(p)
    return f"{name}: {kind}{' | None' if 'kNullable' in p.flags and kind != 'Any' else ''}"


PLAIN = {"Int": "SupportsIndex", "Float": "Float", "Bool": "_bool", "StrictBool": "_bool", "Scalar": "Number | TensorLike",
         "String": "_str", "IntList": "Ints",
         "FloatList": "Sequence[Float]", "BoolList": "Sequence[_bool]",
         "ArrayLike": "ArrayLike", "ArrayLikeList": "Sequence[ArrayLike] | ArrayLike", "Tensor": "TensorLike",
         "TensorOrNumber": "TensorLike | Number", "TensorList": "Sequence[TensorLike]", "Order": "_str", "Casting": "_str",
         "Dtype": "DTypeLike", "Device": "DeviceLike", "Generator": "Generator", "Out": "Out", "OutTuple": "Sequence[Tensor]",
         "Mask": "ArrayLike"}


def annotation(p: Param) -> str:
    if p.shown_name == "memory_format":  # defaults are names of formats
        return "_memory_format" if p.default == "None" else "_memory_format | _str"
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
