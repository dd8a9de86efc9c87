"""aten/{,native_,kernel_}functions/<family>.h and aten/operators/<family>.cpp: declarations, dispatch, and recording for autograd."""

from __future__ import annotations

from string import Template

from tools.codegen import cpp, emit_meta
from tools.codegen.derivatives import Derivative, Saved
from tools.codegen.model import AUTOCAST_RULES, Argument, Entry

TYPES = """\
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
"""

FUNCTIONS_H = Template("""\
// Generated from native_functions/$family.yaml. Operators of the engine.
#pragma once

$types\
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

$declarations
}  // namespace tnp
""")

KERNELS_H = Template("""\
// Generated from native_functions/$family.yaml. Declarations of hand-written kernels, one for each
// device, and schemas of their operators. The files that define the kernels include this header.
#pragma once

$types
#include "aten/core/operator_schema.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

namespace native {

$declarations
}  // namespace native

namespace schemas {
$schemas\
}  // namespace schemas

}  // namespace tnp
""")

ALL_FUNCTIONS_H = Template("""\
// Generated from native_functions.yaml. All operators, for programs that use the engine. Files of the
// engine include the families that they call, so a new operator recompiles only the users of its
// family.
#pragma once

$includes""")

NATIVE_H = Template("""\
// Generated from native_functions/$family.yaml. Declarations of operators that are written by hand with
// other operators. The files that define them include this header.
#pragma once

#include "aten/functions/$family.h"

namespace tnp::native {

$declarations
}  // namespace tnp::native
""")

FUNCTIONS_CPP = Template("""\
// Generated from native_functions/$family.yaml. Operators: dispatch, and recording for autograd.
#include "aten/functions/$family.h"

#include "aten/autograd/autocast.h"
#include "aten/autograd/generated_support.h"
#include "aten/autograd_nodes/$family.h"
#include "aten/compiler/boxed.h"
#include "aten/compiler/traced.h"
#include "aten/cuda_kernels/$family.h"
#include "aten/kernel_functions/$family.h"
#include "aten/meta_functions/$family.h"
#include "aten/native_functions/$family.h"
#include "aten/operator_tables/$family.h"

namespace tnp {

$definitions
}  // namespace tnp
""")


def functions_h(family: str, entries: list[Entry]) -> str:
    blocks = []
    for e in entries:
        lines = [comment(e), f"TNP_API {cpp.declaration(e, True)};"]
        if "inplace" in e.variants:
            lines.append(f"TNP_API {cpp.inplace_declaration(e)};")
        blocks.append("\n".join(lines) + "\n")
    return FUNCTIONS_H.substitute(family=family, types=TYPES, declarations="".join(blocks))


def all_functions_h(families: list[str]) -> str:
    return ALL_FUNCTIONS_H.substitute(includes="".join(f'#include "aten/functions/{f}.h"\n' for f in sorted(families)))


def kernel_functions_h(family: str, entries: list[Entry]) -> str:
    kernels = declarations([(e, name) for e in entries for name in e.kernels])
    schemas = "".join(f"extern const OperatorSchema {e.identifier};\n" for e in entries if e.dispatch and has_schema(e))
    return KERNELS_H.substitute(family=family, types=TYPES, declarations=kernels, schemas=schemas)


def native_functions_h(family: str, entries: list[Entry]) -> str:
    functions = [(e, name) for e in entries if (name := e.hand_written or e.composite_kernel)]
    return NATIVE_H.substitute(family=family, declarations=declarations(functions))


def declarations(functions: list[tuple[Entry, str]]) -> str:
    return "".join(dict.fromkeys(f"{emit_meta.kernel_declaration(e, name)};\n" for e, name in functions))


def functions_cpp(family: str, entries: list[Entry], derivatives: dict[str, Derivative], table: str) -> str:
    blocks = []
    for e in entries:
        if has_schema(e):
            blocks.append(f"constinit const OperatorSchema schemas::{e.identifier}{{\"{e.name}\"}};\n" if e.dispatch else
                          f"namespace schemas {{ constinit const OperatorSchema {e.identifier}{{\"{e.name}\"}}; }}\n")
        if e.has_meta:
            blocks.append(emit_meta.forward_definition(e))
        defined = definition(e, derivatives.get(e.schema.full_name))
        blocks.append(autocast_definition(e, defined) if e.autocast else defined)
        if "inplace" in e.variants:
            blocks.append(inplace_definition(e, derivatives.get(e.schema.full_name)))
    return FUNCTIONS_CPP.substitute(family=family, definitions="\n".join(blocks) + table)


def has_schema(e: Entry) -> bool:
    """Whether calls name the operator by its OperatorSchema, since it has no other descriptor."""
    return not e.pointwise and not e.reduction


def comment(e: Entry) -> str:
    """The schema without its line number: otherwise a new line in the yaml would rebuild all files
    after it."""
    return f"// {e.schema.text}"


DIRECT = Template("""\
$comment
$signature {
  ${return_}$forward;
}
""")

DIFFERENTIABLE = Template("""\
$comment
$signature {
  if (TNP_LIKELY(!compute_requires_grad($differentiable))) return $forward;
$checks\
  auto node = make_intrusive<$node>();
$edges$saves\
  auto result = without_grad([&] { return $forward; });
$history$saved_results\
  return result;
}
""")

INPLACE = Template("""\
$comment
$signature {
  const bool requires_grad = compute_requires_grad($differentiable);
  check_inplace($self, requires_grad);
$apart$options\
  if (TNP_LIKELY(!requires_grad)) {
    $forward;
    return $self;
  }
  auto node = make_intrusive<$node>();
$edges$saves\
  without_grad([&] { $forward; });
  rebase_history($self, node, $self_edge);
$saved_results\
  return $self;
}
""")


def definition(e: Entry, d: Derivative | None) -> str:
    signature = cpp.declaration(e, False)
    call = forward(e)
    mutated = e.schema.mutated
    void = not e.schema.returns
    if e.is_composite and d is None:
        check = apart(e, mutated)[2:] + "  " if mutated is not None and apart(e, mutated) else ""
        return DIRECT.substitute(comment=comment(e), signature=signature, return_=check + ("" if void else "return "), forward=call)
    if mutated is not None and not (e.schema.returns and e.schema.returns[0].type.alias):  # the operator returns a status
        check = f"check_inplace({mutated.name}, compute_requires_grad({mutated.name}));\n{apart(e, mutated)}  "
        return DIRECT.substitute(comment=comment(e), signature=signature, return_=check + ("" if void else "return "), forward=call)
    if mutated is not None:
        if d is None:
            return INPLACE.substitute(
                inplace_fields(e, signature, mutated, call), node="NotDifferentiable", edges=edges_of_all(e), saves=reason(e),
                self_edge=0, saved_results="", options="")
        return INPLACE.substitute(
            inplace_fields(e, signature, mutated, call), node=d.node, edges=edges(d), saves=saves(d, mutated),
            self_edge=edge_of(d, mutated), saved_results=saved_results(d, [mutated.name]), options="")
    if not e.schema.tensors or void or e.schema.returns[0].type.base != "Tensor":  # nothing to differentiate
        return DIRECT.substitute(comment=comment(e), signature=signature, return_="" if void else "return ", forward=call)
    results = result_names(e)
    common = {"comment": comment(e), "signature": signature, "differentiable": ", ".join(differentiable_operands(e, d)), "forward": call}
    if d is None:
        return DIFFERENTIABLE.substitute(common, checks=checks(e, None), node="NotDifferentiable", edges=edges_of_all(e),
                                   saves=reason(e), history=history(e, results), saved_results="")
    return DIFFERENTIABLE.substitute(common, checks=checks(e, d), node=d.node, edges=edges(d), saves=saves(d, None),
                               history=history(e, results), saved_results=saved_results(d, results))


# Note [Autocast] in aten/autograd/autocast.h.
AUTOCAST = Template("""\
static TNP_COLD $returns autocast_$identifier($parameters) {
  const AutocastCall call($rules, {$operands});
  return tnp::$name($arguments);
}
""")


def autocast_definition(e: Entry, defined: str) -> str:
    """The definition of an operator with a rule, with the test of autocast at its beginning."""
    rules = [f"AutocastRule::{AUTOCAST_RULES[e.autocast[device]] if device in e.autocast else 'Inner'}" for device in ("CPU", "CUDA")]
    on = "is_autocast_on()"
    operands = ", ".join(a.name if a.type.is_list else f"TensorList(&{a.name}, 1)" for a in e.schema.tensors if a.name != "out")
    if e.is_composite and len(e.autocast) == 1:
        on += f" && has_autocast_rule({', '.join(rules)}, {{{operands}}})"
    out = next((a.name for a in e.schema.tensors if a.name == "out"), "options.out[0]" if e.pointwise else "options.out")
    if cpp.options(e) or out == "out":  # out= is not cast, as in PyTorch
        rules = [f"{out}.defined() ? AutocastRule::None : {rule}" for rule in rules]
    gives_float32 = "float32_result" in e.autocast.values()
    arguments = [f"call.cast({a.name})" if a in e.schema.tensors and a.name != "out" else
                 f"call.result_dtype(dtype, {e.schema.tensors[0].name})" if a.name == "dtype" and gives_float32 else a.name
                 for a in e.schema.arguments] + (["options"] if cpp.options(e) else [])
    names = [a.name for a in e.schema.arguments] + (["options"] if cpp.options(e) else [])
    parameters = cpp.declaration(e, False).partition("(")[2].removesuffix(")")
    cold = AUTOCAST.substitute(returns=cpp.return_type(e.schema.returns), identifier=e.native_function, parameters=parameters,
                               rules=", ".join(rules), operands=operands, name=e.cpp_name, arguments=", ".join(arguments))
    head = f"{cpp.declaration(e, False)} {{\n"
    return cold + defined.replace(head, f"{head}  if (TNP_UNLIKELY({on})) return autocast_{e.native_function}({', '.join(names)});\n", 1)


BY_COPY = Template("""\
$comment
$signature {
$apart\
  return in_place("$name", $self, compute_requires_grad($differentiable), [&](const Tensor& $self) { return $call; });
}
""")


def inplace_definition(e: Entry, d: Derivative | None) -> str:
    self = e.schema.arguments[0]
    if not e.pointwise:
        fields = inplace_fields(e, cpp.inplace_declaration(e), self, "")
        fields["apart"] = "  const NoAutocastGuard no_autocast;\n" if e.autocast else ""
        return BY_COPY.substitute(fields, name=f"{e.name}_", call=f"tnp::{e.cpp_name}({cpp.argument_names(e)})")
    call = f"run_pointwise(pointwise_ops::{e.identifier}, options, {cpp.argument_names(e)})"
    fields = inplace_fields(e, cpp.inplace_declaration(e), self, call)
    options = f"  PointwiseOptions options;\n  options.out[0] = {self.name};\n"
    if d is None:
        return INPLACE.substitute(fields, node="NotDifferentiable", edges=edges_of_all(e), saves=reason(e), self_edge=0,
                                  saved_results="", options=options)
    return INPLACE.substitute(fields, node=d.node, edges=edges(d), saves=saves(d, self), self_edge=edge_of(d, self),
                              saved_results=saved_results(d, [self.name]), options=options)


def inplace_fields(e: Entry, signature: str, self: Argument, call: str) -> dict[str, str]:
    return {"comment": comment(e), "signature": signature, "self": self.name, "forward": call,
            "differentiable": ", ".join(a.name for a in e.schema.tensors), "apart": apart(e, self)}


def apart(e: Entry, changed: Argument) -> str:
    """The check of PyTorch's rules for overlapping memory; dispatch checks pointwise operators."""
    return "" if e.overlapping or e.pointwise else f"  check_elements_apart({changed.name});\n"


def differentiable_operands(e: Entry, d: Derivative | None) -> list[str]:
    names = d.operands + d.options if d else [a.name for a in e.schema.tensors]
    if e.pointwise:
        return names + [f"options.out[{i}]" for i in range(len(e.schema.returns))]
    return names + (["options.out"] if cpp.options(e) else [])


def forward(e: Entry) -> str:
    """The expression that computes the result, without recording."""
    names = cpp.argument_names(e)
    if e.pointwise:
        pair = "_pair" if len(e.schema.returns) == 2 else ""
        return f"run_pointwise{pair}(pointwise_ops::{e.identifier}, options, {names})"
    if e.reduction:
        kind = next(str(a.type) for a in e.schema.arguments if a.name == "dim")
        dim = {"int[]?": "dim", "int[]": "OptIntList(dim)", "int?": "as_list(dim)", "int": "as_list(dim)"}[kind]
        dtype = "dtype" if e.schema.argument("dtype") else "std::nullopt"
        return f"reduce(reduction_ops::{e.identifier}, input, {dim}, keepdim, {dtype}, options)"
    schema, passed = f"schemas::{e.identifier}", list(filter(None, names.split(", ")))
    if e.has_meta:
        return f"compiler::traced({', '.join([schema, emit_meta.forward_name(e), *emit_meta.passed(e)])})"
    if e.hand_written:  # a composite operator
        tracked = f"[&] {{ return compute_requires_grad({', '.join(a.name for a in e.schema.tensors)}); }}"
        return f"compiler::traced_composite({', '.join([schema, tracked, f'native::{e.hand_written}', *passed])})"
    cpu = e.dispatch["CPU"]
    places = ", ".join(a.name for a in e.schema.arguments if a.type.base in ("Tensor", "Device"))
    read = {a.name for a in e.schema.arguments if str(a.type) == "Tensor" and a is not e.schema.mutated}
    aligned = ", ".join(f"Operand({name})" if name in read else name for name in names.split(", "))
    kernel = f"kernel_for(\"{e.name}\", native::{cpu}, {emit_meta.cuda_kernel(e)}{', ' if places else ''}{places})"
    return f"compiler::traced_look({schema}, {', '.join([kernel, *filter(None, aligned.split(', '))])})"


def result_names(e: Entry) -> list[str]:
    if len(e.schema.returns) == 1:
        return ["result"]
    return [f"std::get<{i}>(result)" for i in range(len(e.schema.returns))]


def edges(d: Derivative) -> str:
    if d.has_list:
        return f"  set_next_edges(*node, {d.arguments[0].name});\n"
    return f"  set_next_edges(*node, {{{', '.join('&' + name for name in d.operands)}}});\n" + "".join(
        f"  if ({name}.defined()) set_next_edges(*node, {{&{name}}});\n" for name in d.options)


def edges_of_all(e: Entry) -> str:
    single = [f"&{a.name}" for a in e.schema.tensors if not a.type.is_list]
    lines = [f"  set_next_edges(*node, {{{', '.join(single)}}});\n"] if single else []
    return "".join(lines + [f"  set_next_edges(*node, {a.name});\n" for a in e.schema.tensors if a.type.is_list])


def reason(e: Entry) -> str:
    text = e.nondifferentiable.replace('"', "'")
    return f"  node->operation = \"{e.name}\";\n  node->reason = \"{text}\";\n"


def edge_of(d: Derivative, a: Argument) -> int:
    return d.arguments.index(a) if a in d.arguments else -1


def saves(d: Derivative, changed: Argument | None) -> str:
    """Saves inputs and values. Inputs that the operator will overwrite are copied first."""
    lines = []
    if d.entry.pointwise and changed is None:
        lines.append("  node->mask_ = options.where;\n")
    for s in d.saved:
        if s.tensor == "result":
            continue
        value = s.source
        if s.tensor == "input":
            value = f"SavedTensor({operand(d.entry, s.source, changed)}, false)"
        lines.append(f"  {condition(d, s)}node->{s.member}_ = {value};\n")
    return "".join(lines)


def operand(e: Entry, name: str, changed: Argument | None) -> str:
    """The value of an input for a formula: a copy if the operator overwrites it, otherwise cast to
    the requested dtype."""
    if changed:
        return f"identity_copy({name})" if name == changed.name else name
    if e.pointwise:
        return name if e.promotion == "Absolute" else f"operand_in(options.dtype, {name})"  # its dtype is that of the result
    asked = e.schema.argument("dtype")
    return f"operand_in(dtype, {name})" if asked and str(asked.type) == "ScalarType?" else name


def condition(d: Derivative, s: Saved) -> str:
    """The condition under which a tensor is saved: a formula that refers to it will be
    evaluated."""
    edges = d.edges(s)
    if s.tensor == "no" or d.has_list or len(edges) == len(d.arguments):
        return ""
    return f"if ({' || '.join(f'node->needs_grad({i})' for i in edges)}) "


def saved_results(d: Derivative, results: list[str]) -> str:
    lines = []
    for s in d.saved:
        if s.tensor == "result":
            name = results[int(s.source)]
            lines.append(f"  {condition(d, s)}node->{s.member}_ = SavedTensor({name}, is_differentiable({name}.dtype()), {s.source});\n")
    return "".join(lines)


def history(e: Entry, results: list[str]) -> str:
    if e.schema.returns[0].type.is_list:
        return "  for (uint32_t i = 0; i < result.size(); ++i) set_history(result[i], node, i);\n"
    lines = []
    for i, (r, name) in enumerate(zip(e.schema.returns, results)):
        if r.type.base == "Tensor":
            lines.append(f"  set_history({name}, node{f', {i}' if i else ''});\n")
    return "".join(lines)


def checks(e: Entry, d: Derivative | None) -> str:
    lines = [f"  check_out_requires_no_grad(true, {name});\n" for name in differentiable_operands(e, d) if name.startswith("options.out")]
    if e.reduction and d and not any(s.member == "mask" for s in d.saved):
        lines.append(f"  check_where_requires_no_grad(\"{e.name}\", options.where);\n")
    return "".join(lines)
