"""Emits the table of all operators that boxed calls find (aten/compiler/boxed.h)."""

from __future__ import annotations

from string import Template

from tools.codegen import cpp
from tools.codegen.emit_functions import has_schema
from tools.codegen.model import Entry

FAMILIES_H = Template("""\
// Generated from native_functions.yaml. The tables of all families.
#pragma once

#include <vector>

namespace tnp::compiler {
struct BoxedFunction;
}
namespace tnp::boxed_families {
$declarations}

namespace tnp::compiler {
inline void add_boxed_families(std::vector<BoxedFunction>& to) {
$calls}
}  // namespace tnp::compiler
""")

TABLE = Template("""
namespace boxed_families {
void $family(std::vector<compiler::BoxedFunction>& to) {
$rows}
}  // namespace boxed_families
""")


def families_h(families: list[str]) -> str:
    return FAMILIES_H.substitute(
        declarations="".join(f"void {f}(std::vector<compiler::BoxedFunction>& to);\n" for f in families),
        calls="".join(f"  boxed_families::{f}(to);\n" for f in families))


def is_boxed(e: Entry) -> bool:
    """Whether all results have a type that boxed calls return."""
    return all(r.type.base == "Tensor" or (r.type.base in ("int", "bool", "float") and not r.type.is_list and not r.type.optional
                                           and len(e.schema.returns) == 1) for r in e.schema.returns)


def table(family: str, entries: list[Entry]) -> str:
    """The definition of the function that adds a family's operators."""
    return TABLE.substitute(family=family, rows="".join(row(e) for e in entries if is_boxed(e)))


def row(e: Entry) -> str:
    text = e.schema.text.replace("\\", "\\\\").replace('"', '\\"')
    op = f"schemas::{e.identifier}" if has_schema(e) else f"{'pointwise' if e.pointwise else 'reduction'}_ops::{e.identifier}"
    return f'  to.push_back(compiler::boxed(&{op}, "{e.schema.full_name}", "{text}", {function(e)}));\n'


def function(e: Entry) -> str:
    """The operator's function. That of a reduction has the parameters of reduce()."""
    if not e.reduction:
        types = [cpp.parameter_type(a.type) for a in e.schema.arguments]
        types += [f"const {cpp.options(e)}&"] if cpp.options(e) else []
        return f"static_cast<{cpp.return_type(e.schema.returns)} (*)({', '.join(types)})>(&tnp::{e.cpp_name})"
    kind = next(str(a.type) for a in e.schema.arguments if a.name == "dim")
    values = {"input": "input", "keepdim": "keepdim", "dtype": "dtype",
              "dim": {"int[]?": "dim", "int[]": "dim.value()", "int?": "dim ? std::optional((*dim)[0]) : std::nullopt",
                      "int": "dim.value()[0]"}[kind]}
    passed = ", ".join(values[a.name] for a in e.schema.arguments)
    return ("+[](const Tensor& input, [[maybe_unused]] OptIntList dim, [[maybe_unused]] bool keepdim, "
            "[[maybe_unused]] std::optional<ScalarType> dtype, const ReduceOptions& options) "
            f"{{ return tnp::{e.cpp_name}({passed}, options); }}")
