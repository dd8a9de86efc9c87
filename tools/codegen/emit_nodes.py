"""aten/autograd_nodes/<family>.{h,cpp}: one Node for every entry with a derivative."""

from __future__ import annotations

import re
from string import Template

from tools.codegen.derivatives import MASK, Derivative, Formula

NODES_H = Template("""\
// Generated from native_functions/$family.yaml. Nodes of differentiable operators: the values saved for the gradient.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/generated_support.h"

namespace tnp {

$nodes
}  // namespace tnp
""")

NODE_DECLARATION = Template("""\
// $schema
struct $node final : $base {
  const char* name() const override { return $name; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
$visit$members};
""")

NODES_CPP = Template("""\
// Generated from native_functions/$family.yaml. Derivatives.
#include "aten/autograd_nodes/$family.h"

${array}#include "aten/autograd/formulas.h"
$includes\
#include "aten/ops/operators.h"

namespace tnp {

$nodes
}  // namespace tnp
""")

NODE_DEFINITION = Template("""\
// $schema
Tensors $node::apply(Tensors&& grads) {
  using namespace formulas;
$mask\
  [[maybe_unused]] const Tensor& grad = grads[0];
$body}
void $node::release_variables() {
$resets}
$visit""")

FORMULA = Template("""\
  if ($wanted) {
$restores\
    $target = $text;
  }
""")

LIST_FORMULA = Template("""\
$restores\
  return $text;
""")


def nodes_h(family: str, derivatives: list[Derivative]) -> str:
    return NODES_H.substitute(family=family, nodes="\n".join(declaration(d) for d in derivatives))


def nodes_cpp(family: str, derivatives: list[Derivative], family_of: dict[str, str]) -> str:
    """`family_of`: every operator's family. Includes the families that the formulas call."""
    words = {w for d in derivatives for f in d.formulas for w in re.findall(r"\w+", f.text)}
    includes = sorted({f'#include "aten/functions/{family_of[w]}.h"\n' for w in words if w in family_of})
    array = "#include <array>\n\n" if any(len(f.edges) > 1 for d in derivatives for f in d.formulas) else ""
    return NODES_CPP.substitute(family=family, array=array, includes="".join(includes), nodes="\n".join(definition(d) for d in derivatives))


def declaration(d: Derivative) -> str:
    members = "".join(f"  {s.type} {s.member}_{'{}' if s.tensor == 'no' else ''};\n" for s in d.saved)
    visit = "  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;\n" if saved_tensors(d) else ""
    return NODE_DECLARATION.substitute(visit=visit, schema=d.entry.schema.text, node=d.node, name=d.entry.public_node_name, base=base(d),
                                       members=members)


def base(d: Derivative) -> str:
    return "PointwiseNode" if d.entry.pointwise else "Node"


def definition(d: Derivative) -> str:
    if d.has_list:
        body = LIST_FORMULA.substitute(restores=restores(d.formulas[0], "  "), text=d.formulas[0].text)
    else:
        formulas = "".join(FORMULA.substitute(wanted=f.wanted, restores=restores(f, "    "), target=target(f), text=f.text)
                           for f in d.formulas)
        count = "next_edges.size()" if d.options else len(d.arguments)
        body = f"  Tensors out({count});\n{formulas}  return out;\n"
    resets = [f"  {s.member}_.reset();\n" for s in d.saved if s.tensor in ("input", "result")]
    resets += [f"  for (SavedTensor& t : {s.member}_) t.reset();\n" for s in d.saved if s.tensor == "list"]
    visits = saved_tensors(d)
    visit = f"void {d.node}::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {{\n{visits}}}\n" if visits else ""
    return NODE_DEFINITION.substitute(
        visit=visit,
        schema=d.entry.schema.text, node=d.node, mask="  mask_gradients(grads);\n" if d.entry.pointwise else "",
        body=body, resets="".join(resets))


def saved_tensors(d: Derivative) -> str:
    """Calls of `visit` with PyTorch's names of the saved tensors: grad_fn._saved_<name>. Lists have a star."""
    single = len(d.entry.schema.returns) == 1
    lines = ""
    for s in d.saved:
        name = {"input": "self", "result0": "result" if single else "result0"}.get(s.member, s.member)
        if s.tensor in ("input", "result"):
            lines += f'  visit("{name}", {s.member}_);\n'
        elif s.tensor == "list":
            lines += f'  for (SavedTensor& t : {s.member}_) visit("*{name}", t);\n'
    return lines


def target(f: Formula) -> str:
    places = ", ".join(f"out[{i}]" for i in f.edges)
    return f"std::tie({places})" if len(f.edges) > 1 else places


def restores(f: Formula, indent: str) -> str:
    lines = [s.restore for s in f.saved]
    if len(f.edges) > 1:
        wanted = ", ".join(f"needs_grad({i})" for i in f.edges)
        lines.append(f"const std::array<bool, {len(f.edges)}> {MASK} = {{{wanted}}};")
    return "".join(f"{indent}{line}\n" for line in lines)
