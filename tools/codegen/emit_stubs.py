"""torch_np/_operators.json (what the tests know of each entry) and the stubs of torch_np._C."""

from __future__ import annotations

import json

from tools.codegen.emit_bindings import Python
from tools.codegen.model import Entry


def files(entries: list[Entry], python: Python) -> dict[str, str]:
    return {"_operators.json": operators_json(entries)}


def operators_json(entries: list[Entry]) -> str:
    return json.dumps([describe(e) for e in entries], indent=1) + "\n"


def describe(e: Entry) -> dict:
    d = {
        "name": e.name, "overload": e.schema.overload, "full_name": e.schema.full_name, "schema": e.schema.text, "line": e.line,
        "np_compat": e.np_compat, "package": e.package, "aliases": list(e.aliases), "variants": list(e.variants),
        "arguments": [{"name": a.name, "type": str(a.type), "default": a.default, "keyword_only": a.keyword_only,
                       "positional_only": a.positional_only} for a in e.schema.arguments],
        "returns": [{"name": r.name, "type": str(r.type) if r.type else "..."} for r in e.schema.returns],
    }
    if e.np_compat:
        u = e.ufunc
        d |= {"native": e.native, "translations": e.additional_translations,
              "ufunc": {"reduce": u.reduce, "accumulate": u.accumulate, "identity": u.identity} if u else None}
    else:
        d |= {"hidden": e.hidden, "kind": kind(e), "functor": e.pointwise or e.reduction, "promotion": e.promotion,
              "dtypes": e.dtypes, "derivative": [n for n, f in e.derivative.items() if f != "non_differentiable"],
              "nondifferentiable": e.nondifferentiable, "domain": list(e.domain) if e.domain else None}
    return d


def kind(e: Entry) -> str:
    return "pointwise" if e.pointwise else "reduction" if e.reduction else "dispatch" if e.dispatch else "composite"
