"""aten/autograd_nodes.h and autograd_nodes_<k>.cpp: one Node for every entry with a derivative."""

from __future__ import annotations

from string import Template

from tools.codegen.derivatives import Derivative, Formula

NODES_H = Template("""\
// Generated from native_functions.yaml. What each differentiable operator keeps for its gradient.
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
  const char* name() const override { return "$node"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
$members};
""")

SHARD = Template("""\
// Generated from native_functions.yaml. Derivatives.
#include "aten/autograd/formulas.h"
#include "aten/autograd_nodes.h"
#include "aten/functions.h"
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
""")

FORMULA = Template("""\
  if (needs_grad($index)) {
$restores\
    out[$index] = $text;
  }
""")

LIST_FORMULA = Template("""\
$restores\
  return $text;
""")


def nodes_h(derivatives: list[Derivative]) -> str:
    return NODES_H.substitute(nodes="\n".join(declaration(d) for d in derivatives))


def shard(derivatives: list[Derivative]) -> str:
    return SHARD.substitute(nodes="\n".join(definition(d) for d in derivatives))


def declaration(d: Derivative) -> str:
    members = "".join(f"  {s.type} {s.member}_{'{}' if s.tensor == 'no' else ''};\n" for s in d.saved)
    return NODE_DECLARATION.substitute(schema=d.entry.schema.text, node=d.node, base=base(d), members=members)


def base(d: Derivative) -> str:
    return "PointwiseNode" if d.entry.pointwise else "Node"


def definition(d: Derivative) -> str:
    if d.has_list:
        body = LIST_FORMULA.substitute(restores=restores(d.formulas[0], "  "), text=d.formulas[0].text)
    else:
        formulas = "".join(FORMULA.substitute(index=f.index, restores=restores(f, "    "), text=f.text) for f in d.formulas)
        has_options = any(f.source != f.argument.name for f in d.formulas)
        count = "next_edges.size()" if has_options else len(d.formulas)
        body = f"  Tensors out({count});\n{formulas}  return out;\n"
    resets = [f"  {s.member}_.reset();\n" for s in d.saved if s.tensor in ("input", "result")]
    resets += [f"  for (SavedTensor& t : {s.member}_) t.reset();\n" for s in d.saved if s.tensor == "list"]
    return NODE_DEFINITION.substitute(
        schema=d.entry.schema.text, node=d.node, mask="  mask_gradients(grads);\n" if d.entry.pointwise else "",
        body=body, resets="".join(resets))


def restores(f: Formula, indent: str) -> str:
    return "".join(f"{indent}{s.restore}\n" for s in f.saved)
