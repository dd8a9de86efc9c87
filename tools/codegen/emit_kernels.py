"""Descriptors of pointwise operators and reductions, and the translation units that hold their compiled loops."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from tools.codegen.model import Entry, SpecError

TABLES_H = Template("""\
// Generated from native_functions.yaml. The descriptors that pointwise() and reduce() run.
#pragma once

#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::pointwise_ops {
$pointwise\
}  // namespace tnp::pointwise_ops

namespace tnp::reduction_ops {
$reductions\
}  // namespace tnp::reduction_ops
""")

TABLES_CPP = Template("""\
// Generated from native_functions.yaml. The descriptors that pointwise() and reduce() run.
#include "aten/operator_tables.h"

#include "aten/core/capability.h"
#include "aten/ops/checks.h"

namespace tnp {

namespace cpu_loops {
$declarations\
}  // namespace cpu_loops

namespace pointwise_ops {
$pointwise\
}  // namespace pointwise_ops

namespace reduction_ops {
$reductions\
}  // namespace reduction_ops

}  // namespace tnp
""")

UNIT = Template("""\
// Generated from native_functions.yaml. Loops of the functors in $header.
#include "aten/kernels/functors/$header"
$includes
namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

$definitions\
}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
""")


FUNCTOR = re.compile(r"template <(?:class|typename) \w+>\s*\n?\s*(?:requires [^\n]*\n\s*)?struct (\w+)\s*(?:final\s*)?(?::[^{]*)?\{")


def functors(folder: Path) -> dict[str, str]:
    """Where each functor is: its name to the name of the header."""
    found: dict[str, str] = {}
    for header in sorted(folder.glob("*.h")):
        for name in FUNCTOR.findall(header.read_text()):
            found.setdefault(name, header.name)
    return found


def check(entry: Entry, where: dict[str, str]) -> None:
    name = entry.pointwise or entry.reduction
    if name and name not in where:
        raise SpecError(f"no functor '{name}' in aten/kernels/functors/*.h")


def tables_h(entries: list[Entry]) -> str:
    return TABLES_H.substitute(
        pointwise="".join(f"TNP_API extern const PointwiseOp {e.identifier};\n" for e in entries if e.pointwise),
        reductions="".join(f"TNP_API extern const ReductionOp {e.identifier};\n" for e in entries if e.reduction))


def tables_cpp(entries: list[Entry]) -> str:
    declarations, pointwise, reductions = [], [], []
    for e in entries:
        if not e.pointwise and not e.reduction:
            continue
        kind = "Pointwise" if e.pointwise else "Reduction"
        declarations.append(f"TNP_DECLARE_LOOPS({kind}Loop, {e.identifier})\n"
                            f"constexpr LoopVariants<{kind}Loop> {e.identifier} = TNP_LOOP_VARIANTS({e.identifier});\n")
        loops = (f"[](DeviceType d) {{ return d == DeviceType::CPU ? cpu_loops::{e.identifier}.choose() : "
                 f"std::span<const {kind}Loop>{{}}; }}")
        if e.pointwise:
            check = f"&checks::{e.check}" if e.check else "nullptr"
            pointwise.append(
                f"constinit const PointwiseOp {e.identifier}{{\"{e.name}\", {len(e.schema.arguments)}, {len(e.schema.returns)}, "
                f"Promotion::{e.promotion},\n    {loops}, {e.cost:g}, {check}}};\n")
        else:
            reductions.append(f"constinit const ReductionOp {e.identifier}{{\"{e.name}\", ReductionRule::{e.promotion},\n    {loops}}};\n")
    return TABLES_CPP.substitute(declarations="".join(declarations), pointwise="".join(pointwise), reductions="".join(reductions))


def units(headers: list[str], parts: int, entries: list[Entry], where: dict[str, str]) -> dict[str, str]:
    """`parts` files for every functor header, so that large ones compile in parallel. Some may be empty."""
    texts = {}
    for header in headers:
        own = [e for e in entries if (e.pointwise or e.reduction) and where[e.pointwise or e.reduction] == header]
        for k in range(parts):
            texts[f"loops_{Path(header).stem}_{k}.cpp"] = unit(header, own[k::parts])
    return texts


def unit(header: str, entries: list[Entry]) -> str:
    includes, definitions = set(), []
    for e in entries:
        if e.pointwise:
            includes.add("aten/kernels/cpu/pointwise_loops.h")
            definitions.append(f"std::span<const PointwiseLoop> {e.identifier}() {{ return make_loops<{e.pointwise}, {e.dtypes}>(); }}\n")
        else:
            includes.add("aten/kernels/cpu/reduction_loops.h")
            definitions.append(
                f"std::span<const ReductionLoop> {e.identifier}() {{ return make_reduction_loops<{e.reduction}, {e.dtypes}>(); }}\n")
    return UNIT.substitute(header=header, includes="".join(f'#include "{i}"\n' for i in sorted(includes)),
                           definitions="".join(definitions))
