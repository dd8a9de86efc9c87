"""csrc/tables/<family>.cpp: Python names of the bindings (methods, functions, ufuncs, dunder
methods); csrc/tables.cpp joins them."""

from __future__ import annotations

from string import Template

from tools.codegen import docs
from tools.codegen.emit_bindings import Python, Report, Row, results
from tools.codegen.model import Entry, SpecError, Ufunc
from tools.codegen.signatures import Result

FAMILY = Template("""\
// Generated from native_functions/$family.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

$includes
namespace tnp::python {

${result_types}\
namespace ${family}_rows {
namespace {

PyMethodDef tensor_methods[] = {
$tensor_methods    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef ndarray_methods[] = {
$ndarray_methods    {nullptr, nullptr, 0, nullptr},
};
FunctionRow functions[] = {
$functions    {},
};
const UfuncRow ufuncs[] = {
$ufuncs    {},
};
const DunderRow dunders[] = {
$dunders    {},
};
const ResultRow results[] = {
$results    {},
};

}  // namespace

extern const FamilyTables tables;
constinit const FamilyTables tables{tensor_methods, ndarray_methods, functions, ufuncs, dunders, results};

}  // namespace ${family}_rows

}  // namespace tnp::python
""")

ALL = Template("""\
// Generated from native_functions.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

namespace tnp::python {

$declarations
static const FamilyTables* const all[] = {$families};
constinit const std::span<const FamilyTables* const> family_tables{all};

}  // namespace tnp::python
""")


def all_tables(families: list[str]) -> str:
    return ALL.substitute(declarations="".join(f"namespace {f}_rows {{ extern const FamilyTables tables; }}\n" for f in families),
                          families=", ".join(f"&{f}_rows::tables" for f in families))


def tables(family: str, python: Python, entries: list[Entry]) -> str:
    natives = {e.schema.full_name: e for e in reversed(entries) if not e.np_compat}
    ufuncs = [r for r in python.ufuncs if r.family == family]
    dunders = [dunder_row(e, python) for e in entries if e.dunder and e.family == family]
    headers = {f"csrc/bindings/{f}.h" for f in {family}.union(*(families for _, families in dunders))}
    headers |= {f"aten/functions/{natives[name].family}.h" for r in ufuncs for name in folds(r)}
    headers |= {f"aten/operator_tables/{r.overloads[0].native.family}.h" for r in ufuncs if r.overloads[0].native.pointwise}
    classes = results([b for b in python.bindings if b.family == family])
    methods = {c: [r for r in python.methods if r.family == family and r.compat == c] for c in (False, True)}
    return FAMILY.substitute(
        family=family, includes="".join(f'#include "{h}"\n' for h in sorted(headers)),
        tensor_methods="".join(method_row(r) for r in methods[False]), ndarray_methods="".join(method_row(r) for r in methods[True]),
        functions="".join(function_row(r) for r in python.functions if r.family == family),
        ufuncs="".join(ufunc_row(r, natives) for r in ufuncs), dunders="".join(row for row, _ in dunders),
        result_types="".join(f"PyTypeObject* {r.identifier} = nullptr;\n" for r in classes), results="".join(map(result_row, classes)))


def result_row(r: Result) -> str:
    return f'    {{{"true" if r.compat else "false"}, "{r.package}", "{r.name}", "{" ".join(r.fields)}", &{r.identifier}}},\n'


def method_row(r: Row) -> str:
    return f"    {method(r)},\n"


def method(r: Row) -> str:
    binding = f"THPVariable_{r.binding}<{'true' if r.compat else 'false'}>"
    return f'{{"{r.name}", fastcall(&{binding}), kFastcall,\n        {docs.c_string(r.doc)}}}'


def function_row(r: Row) -> str:
    """A function with the flags that override dispatch needs: whether like= makes the array,
    whether the first argument is a list of arrays."""
    fields = [f".compat = {'true' if r.compat else 'false'}", f'.package = "{r.package}"']
    if r.compat and any(p.name == "like" for o in r.overloads for p in o.params):
        fields.append(".takes_like = true")
    if r.compat and any(p.kind == "ArrayLikeList" for o in r.overloads for p in o.params[:1]):
        fields.append(".takes_arrays = true")
    return f"    {{{', '.join(fields)}, .method = {method(r)}}},\n"


def dunder_row(e: Entry, python: Python) -> tuple[str, set[str]]:
    """The bindings that Python's operator calls on each face, and the families of these
    bindings."""
    torch = next((r for r in python.functions if not r.compat and any(o.entry is e for o in r.overloads)), None)
    numpy = next((r for r in (*python.ufuncs, *python.functions) if r.compat and any(o.native is e for o in r.overloads)), None)
    inplace = next((r for r in python.methods if not r.compat and any(o.entry is e and o.inplace for o in r.overloads)), None)
    rows = [r for r in (torch, numpy, inplace) if r]
    pointers = [f"&THPVariable_{r.binding}<{'true' if r.compat else 'false'}>" if r else "nullptr" for r in (torch, numpy, inplace)]
    name = f'"{numpy.name}"' if numpy else "nullptr"
    return f'    {{"{e.dunder}", {name}, {", ".join(pointers)}}},\n', {r.family for r in rows}


REDUCE = Template("[](const Tensor& input, OptIntList dim, bool keepdim, $unused_dtype, const ReduceOptions& options) "
                  "{ return tnp::$name($arguments, options); }")
ACCUMULATE = Template("[](const Tensor& input, int64_t dim, $unused_dtype) { return tnp::$name($arguments); }")


UFUNC = Template("""\
    {"$name", "$package", $nin, $nout, &THPVariable_$binding<true>, $op, $core, "$identity",
     $reduce, $reduce_dtype,
     $accumulate, $accumulate_dtype,
     "($signature)",
        $doc},
""")


def folds(r: Row) -> list[str]:
    u = r.overloads[0].entry.ufunc
    return [name for name in (u.reduce, u.accumulate) if name] if u else []


def ufunc_row(r: Row, natives: dict[str, Entry]) -> str:
    o = r.overloads[0]
    u = o.entry.ufunc or Ufunc()
    reduce, reduce_dtype = fold_of(u.reduce, natives, REDUCE, ("input", "dim", "keepdim"))
    accumulate, accumulate_dtype = fold_of(u.accumulate, natives, ACCUMULATE, ("input", "dim"))
    op = f"&pointwise_ops::{o.native.identifier}" if o.native.pointwise else "nullptr"
    core = o.entry.gufunc
    nin = core.partition("->")[0].count("(") if core else len(o.native.schema.arguments)
    return UFUNC.substitute(
        name=r.name, package=r.package, nin=nin, nout=len(o.native.schema.returns), binding=r.binding, op=op,
        core=f'"{core}"' if core else "nullptr", identity=u.identity, reduce=reduce, reduce_dtype=reduce_dtype, accumulate=accumulate,
        accumulate_dtype=accumulate_dtype, signature=docs.text_signature(o.params, False),
        doc=docs.c_string(docs.plain(list(r.overloads))))


def fold_of(name: str, natives: dict[str, Entry], template: Template, needed: tuple[str, ...]) -> tuple[str, str]:
    if not name:
        return "nullptr", "false"
    native = natives[name]
    dtype = native.schema.argument("dtype") is not None
    parameter = "std::optional<ScalarType>" + (" dtype" if dtype else "")
    return template.substitute(name=native.cpp_name, unused_dtype=parameter,
                               arguments=", ".join([*needed, *(["dtype"] if dtype else [])])), "true" if dtype else "false"


def check_folds(entries: list[Entry], report: Report) -> None:
    """Checks that the operators in `ufunc: {reduce: f, accumulate: g}` have the arguments that a
    fold needs."""
    natives = {e.schema.full_name: e for e in reversed(entries) if not e.np_compat}
    for e in entries:
        if e.ufunc is None:
            continue
        folds = (("reduce", e.ufunc.reduce, ["input", "dim", "keepdim"]), ("accumulate", e.ufunc.accumulate, ["input", "dim"]))
        for key, name, needed in folds:
            if not name:
                continue
            native = natives.get(name)
            if native is None:
                report(e, SpecError(f"ufunc: {key}: there is no operator '{name}'"))
            elif [a.name for a in native.schema.arguments if a.name != "dtype"] != needed or key == "reduce" and not native.reduction:
                report(e, SpecError(f"ufunc: {key}: {native.schema.text} does not take {', '.join(needed)} and dtype"))
