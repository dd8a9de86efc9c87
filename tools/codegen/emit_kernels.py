"""Descriptors of pointwise operators and reductions, and the translation units that hold their compiled loops."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from tools.codegen import emit_meta
from tools.codegen.emit_functions import TYPES
from tools.codegen.model import Entry, SpecError

TABLES_H = Template("""\
// Generated from native_functions/$family.yaml. Descriptors of the operators
// that pointwise() and reduce() run.
#pragma once

#include "aten/core/operator_schema.h"
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
// Generated from native_functions/$family.yaml. Descriptors of the operators
// that pointwise() and reduce() run, and pointers to the kernels of the CUDA library.
#include "aten/operator_tables/$family.h"

#include "aten/core/threads/capability.h"
#include "aten/cuda_kernels/$family.h"
#include "aten/dispatch/checks.h"

namespace tnp {

namespace cuda_kernels {
$cuda_kernels\
}  // namespace cuda_kernels

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

CUDA_KERNELS_H = Template("""\
// Generated from native_functions/$family.yaml. Pointers to the hand-written kernels of the CUDA
// library; null until it is loaded.
#pragma once

$types
namespace tnp {
class Generator;
enum class Distribution : uint8_t;
}

namespace tnp::cuda_kernels {
$declarations\
}  // namespace tnp::cuda_kernels
""")

CUDA_TABLES = Template("""\
// Generated from native_functions.yaml. Registers the loops and kernels of the CUDA library with the
// engine, and the names of the functors with its compiler.
#include "aten/cuda/compiler/kernel_source.h"
$includes
namespace tnp {

namespace cuda_loops {
$declarations\
}  // namespace cuda_loops

void register_cuda_kernels() {
$assignments\
}

namespace gpu {

std::span<const FunctorName> functor_names() {
  static constexpr FunctorName names[] = {
$functors\
  };
  return names;
}

}  // namespace gpu

}  // namespace tnp
""")

CUDA_UNIT = Template("""\
// Generated from native_functions.yaml. Kernels of the functors in $header.
#include "aten/functors/$header"
$includes
namespace tnp::cuda_loops {

$definitions\
}  // namespace tnp::cuda_loops
""")

UNIT = Template("""\
// Generated from native_functions.yaml. Loops of the functors in $headers.
$includes
namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

$definitions\
}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
""")


FUNCTOR = re.compile(r"template <(?:class|typename) \w+>\s*\n?\s*(?:requires [^\n]*\n\s*)?struct (\w+)\s*(?:final\s*)?(?::[^{]*)?\{")


def functors(folder: Path) -> dict[str, str]:
    """The header of each functor, by name."""
    found: dict[str, str] = {}
    for header in sorted(folder.glob("*.h")):
        for name in FUNCTOR.findall(header.read_text()):
            found.setdefault(name, header.name)
    return found


def check(entry: Entry, where: dict[str, str]) -> None:
    name = entry.pointwise or entry.reduction
    if name and name not in where:
        raise SpecError(f"no functor '{name}' in aten/functors/*.h")


def tables_h(family: str, entries: list[Entry]) -> str:
    return TABLES_H.substitute(
        family=family,
        pointwise="".join(f"TNP_API extern const PointwiseOp {e.identifier};\n" for e in entries if e.pointwise),
        reductions="".join(f"TNP_API extern const ReductionOp {e.identifier};\n" for e in entries if e.reduction))


def source(entry: Entry) -> str:
    return f"ErrorSource::{entry.floating_point_errors.capitalize() or 'None'}"


def tables_cpp(family: str, entries: list[Entry]) -> str:
    declarations, pointwise, reductions = [], [], []
    for e in entries:
        if not e.pointwise and not e.reduction:
            continue
        kind = "Pointwise" if e.pointwise else "Reduction"
        variants = f"TNP_LOOP_VARIANTS({e.identifier})" if e.vectorizes else f"{{&baseline::{e.identifier}, nullptr, nullptr}}"
        declarations.append(f"TNP_DECLARE_LOOPS({kind}Loop, {e.identifier})\n"
                            f"constexpr LoopVariants<{kind}Loop> {e.identifier} = {variants};\n")
        loops = f"[](DeviceType d) {{ return d == DeviceType::CPU ? cpu_loops::{e.identifier}.choose() : {e.identifier}.cuda_loops; }}"
        if e.pointwise:
            check = f"&checks::{e.check}" if e.check else "nullptr"
            watched = f'"{e.watched_as}"' if e.floating_point_errors else "nullptr"
            pointwise.append(
                f"constinit const PointwiseOp {e.identifier}{{\"{e.name}\", {len(e.schema.arguments)}, {len(e.schema.returns)}, "
                f"Promotion::{e.promotion},\n    {loops}, {e.cost:g}, {watched}, {check}, {str(e.keeps_numbers).lower()}}};\n")
        else:
            reductions.append(f"constinit const ReductionOp {e.identifier}{{\"{e.name}\", ReductionRule::{e.promotion},\n"
                              f"    {loops}, {source(e)}}};\n")
    return TABLES_CPP.substitute(
        family=family, declarations="".join(declarations), pointwise="".join(pointwise), reductions="".join(reductions),
        cuda_kernels="".join(f"{p} = nullptr;\n" for p in kernel_pointers(entries)))


def units(headers: list[str], parts: int, entries: list[Entry], where: dict[str, str]) -> dict[str, str]:
    """`parts` files for every functor header, so that large ones compile in parallel. Some files
    may be empty."""
    texts = {}
    for header in headers:
        own = [e for e in entries if e.vectorizes and where.get(e.pointwise or e.reduction) == header]
        for k in range(parts):
            texts[f"loops_{Path(header).stem}_{k}.cpp"] = unit([header], own[k::parts])
    return texts


def scalar_units(parts: int, entries: list[Entry], where: dict[str, str]) -> dict[str, str]:
    """`parts` files of the functors that do not vectorize, neighbours by their header. They are compiled for the baseline only."""
    own = sorted((e for e in entries if not e.vectorizes), key=lambda e: where[e.pointwise])
    texts = {}
    for k in range(parts):
        chunk = own[k * len(own) // parts:(k + 1) * len(own) // parts]
        scalar = "".join(f"template <class T>\nconstexpr bool vectorizes<{f}<T>> = false;\n" for f in sorted({e.pointwise for e in chunk}))
        texts[f"scalar_loops_{k}.cpp"] = unit(sorted({where[e.pointwise] for e in chunk}), chunk, f"\nnamespace tnp {{\n{scalar}}}\n")
    return texts


def unit(headers: list[str], entries: list[Entry], traits: str = "") -> str:
    includes, definitions = [f"aten/functors/{h}" for h in headers], []
    if any(e.pointwise for e in entries):
        includes.append("aten/kernels/cpu/pointwise/pointwise_loops.h")
    if any(e.reduction for e in entries):
        includes.append("aten/kernels/cpu/reduction/reduction_loops.h")
    for e in entries:
        if e.pointwise:
            definitions.append(f"std::span<const PointwiseLoop> {e.identifier}() "
                               f"{{ return make_loops<{e.pointwise}, {e.dtypes}, {source(e)}>(); }}\n")
        else:
            definitions.append(
                f"std::span<const ReductionLoop> {e.identifier}() {{ return make_reduction_loops<{e.reduction}, {e.dtypes}>(); }}\n")
    if not definitions:
        return "// Generated from native_functions.yaml. No loops.\n"
    return UNIT.substitute(headers=", ".join(headers), includes="".join(f'#include "{i}"\n' for i in includes) + traits,
                           definitions="".join(definitions))


def machine_operations(entries: list[Entry]) -> str:
    """The operators that machine code computes, as a list for a macro."""
    rows = "".join(f" \\\n  X(\"{e.name}\", {e.machine})" for e in entries if e.machine)
    return ("// Generated from native_functions.yaml. The operators that machine code computes: their names, and their operations\n"
            f"// (aten/fusion/instruction_sequence.h).\n#pragma once\n\n#define TNP_MACHINE_OPERATIONS(X){rows}\n")


def cuda_function(e: Entry) -> str | None:
    """The operator's kernel in the CUDA library, if any."""
    return e.dispatch.get("CUDA")


def kernel_pointers(entries: list[Entry]) -> list[str]:
    """Pointer declarations such as `Tensor (*matmul_cuda)(const Tensor& input, const Tensor&
    other)`, one for each kernel."""
    pointers = {}
    for e in entries:
        if name := cuda_function(e):
            pointers[name] = emit_meta.kernel_declaration(e, f"(*{name})")
    return list(pointers.values())


def cuda_kernels_h(family: str, entries: list[Entry]) -> str:
    declarations = "".join(f"TNP_API extern {p};\n" for p in kernel_pointers(entries))
    return CUDA_KERNELS_H.substitute(family=family, types=TYPES, declarations=declarations)


def cuda_tables(families: list[str], entries: list[Entry], where: dict[str, str]) -> str:
    declarations, assignments, functor_names = [], [], []
    for e in entries:
        if e.pointwise:
            functor_names.append(f'      {{&pointwise_ops::{e.identifier}, "{e.pointwise}", "{where[e.pointwise]}"}},\n')
        if e.pointwise or e.reduction:
            kind = "Pointwise" if e.pointwise else "Reduction"
            declarations.append(f"std::span<const {kind}Loop> {e.identifier}();\n")
            assignments.append(f"  {kind.lower()}_ops::{e.identifier}.cuda_loops = cuda_loops::{e.identifier}();\n")
        elif name := cuda_function(e):
            assignments.append(f"  cuda_kernels::{name} = &native::{name};\n")
    kinds = ("cuda_kernels", "kernel_functions", "operator_tables")
    return CUDA_TABLES.substitute(includes="".join(f'#include "aten/{kind}/{f}.h"\n' for kind in kinds for f in sorted(families)),
                                  declarations="".join(declarations), assignments="".join(dict.fromkeys(assignments)),
                                  functors="".join(functor_names))


def cuda_units(headers: list[str], entries: list[Entry], where: dict[str, str]) -> dict[str, str]:
    """One file for every functor header."""
    texts = {}
    for header in headers:
        includes, definitions = set(), []
        for e in entries:
            if where.get(e.pointwise or e.reduction) != header:
                continue
            make = "make_loops" if e.pointwise else "make_reduction_loops"
            kind = "Pointwise" if e.pointwise else "Reduction"
            includes.add(f"aten/kernels/cuda/{'pointwise/pointwise' if e.pointwise else 'reduction/reduction'}_loops.h")
            table = f"gpu::{make}<{e.pointwise or e.reduction}, {e.dtypes}>()"
            definitions.append(f"std::span<const {kind}Loop> {e.identifier}() {{ return {table}; }}\n")
        texts[f"cuda_loops_{Path(header).stem}.cu"] = CUDA_UNIT.substitute(
            header=header, includes="".join(f'#include "{i}"\n' for i in sorted(includes)), definitions="".join(definitions))
    return texts
