"""Operators with kernels: declarations of their shape functions, and generated functions that call
these and the kernels.

See Note [Operators with kernels] in aten/dispatch/outputs.h.
"""

from __future__ import annotations

from string import Template

from tools.codegen import cpp
from tools.codegen.model import Argument, Entry, SpecError

META_FUNCTIONS_H = Template("""\
// Generated from native_functions/$family.yaml. Shape functions of operators with kernels: they check
// the arguments and describe the results. The files that define them include this header.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aten/dispatch/outputs.h"

namespace tnp {

class Generator;

namespace meta {

$declarations
}  // namespace meta
}  // namespace tnp
""")

FORWARD = Template("""\
static $result $name($parameters) {
$apart$operands\
  OutputsOf<$count> outputs("$op", device_of_all($places)$options);
  meta::$meta($arguments);
  outputs.allocate({$reads});
  if (auto* kernel = outputs.kernel(native::$cpu, $cuda)) kernel($kernel_arguments);
$changed\
  return $return_;
}
""")


def given(a: Argument) -> str:
    return f"{a.name}_given"


def is_replaceable(e: Entry, a: Argument) -> bool:
    """Whether a shape function may replace argument `a`. A list of bools is a mask of wanted
    results and is not replaceable, nor are lists of floats."""
    if a.type.base in ("bool", "float") and a.type.is_list:
        return False
    return a is not e.schema.mutated and (a.type.base in ("Tensor", "int", "float", "bool") or a.type.base == "ScalarType")


def is_copied(e: Entry, a: Argument) -> bool:
    """Whether a replaceable argument needs its own storage: a Tensor or a list."""
    return is_replaceable(e, a) and (a.type.base == "Tensor" or a.type.is_list)


def own_type(a: Argument) -> str:
    t = a.type
    if t.base == "Tensor":
        return "OperandList" if t.is_list else "Operand"
    if t.is_list:
        if t.base != "int":
            raise SpecError(f"an operator with kernels takes no argument of type {t}")
        return "std::optional<DimVector>" if t.optional else "DimVector"
    return cpp.parameter_type(t)


def meta_parameter(e: Entry, a: Argument) -> str:
    return f"{own_type(a)}& {a.name}" if is_replaceable(e, a) else f"{cpp.parameter_type(a.type)} {a.name}"


def meta_declaration(e: Entry) -> str:
    """`void cumsum(Outputs& outputs, Operand& input, std::optional<int64_t>& dim,
    std::optional<ScalarType>& dtype)`."""
    return f"void {e.native_function}({', '.join(['Outputs& outputs', *(meta_parameter(e, a) for a in e.schema.arguments)])})"


def meta_functions_h(family: str, entries: list[Entry]) -> str:
    return META_FUNCTIONS_H.substitute(
        family=family, declarations="".join(f"{meta_declaration(e)};\n" for e in entries if e.has_meta))


def output_names(e: Entry) -> list[str]:
    """The names of a kernel's results."""
    if e.schema.mutated is not None:
        return []
    taken = {a.name for a in e.schema.arguments}
    names = ["out"] if len(e.schema.returns) == 1 else [r.name or f"out{i}" for i, r in enumerate(e.schema.returns)]
    return [f"{n}_out" if n in taken else n for n in names]


def kernel_parameters(e: Entry) -> list[str]:
    return [*cpp.parameters(e.schema.arguments, False), *(f"const Tensor& {n}" for n in output_names(e))]


def kernel_declaration(e: Entry, name: str) -> str:
    """`void cumsum_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype, const Tensor& out)`."""
    return f"void {name}({', '.join(kernel_parameters(e))})" if e.has_meta else cpp.native_declaration(e, name)


def operand(e: Entry, a: Argument) -> str:
    """The declaration of an argument that a shape function may replace."""
    if not is_copied(e, a):
        return ""
    if a.type.base == "Tensor":
        return f"  {own_type(a)} {a.name}({given(a)});\n"
    if a.type.optional:
        return f"  std::optional<DimVector> {a.name} = stored({given(a)});\n"
    return f"  DimVector {a.name}({given(a)});\n"


def cuda_kernel(e: Entry) -> str:
    """The pointer that the CUDA library sets, the composite function, or a null pointer of their type."""
    if e.composite_kernel:
        return f"native::{e.composite_kernel}"
    cuda = e.dispatch.get("CUDA")
    return f"cuda_kernels::{cuda}" if cuda else f"decltype(&native::{e.dispatch['CPU']})(nullptr)"


def forward_name(e: Entry) -> str:
    return f"forward_{e.native_function}"


def passed(e: Entry) -> list[str]:
    """The arguments that are passed to the function that computes."""
    return [*filter(None, cpp.argument_names(e).split(", ")), *(["options"] if cpp.options(e) else [])]


ALIGNED = Template("""\
  if (TNP_UNLIKELY($self.is_unaligned())) {
    const Tensor apart = aligned_copy($self);
    $name($arguments);
    copy_into($self, apart);
    return $self;
  }
""")


def on_aligned_copy(e: Entry) -> str:
    """Code that runs an in-place kernel on an aligned copy if its target is unaligned."""
    self = e.schema.mutated
    if self is None:
        return ""
    arguments = ["apart" if a is self else given(a) if is_copied(e, a) else a.name for a in e.schema.arguments]
    return ALIGNED.substitute(self=self.name, name=forward_name(e), arguments=", ".join(arguments))


def forward_definition(e: Entry) -> str:
    """The function that computes, without recording."""
    arguments = e.schema.arguments
    outputs = output_names(e)
    names = {a.name: given(a) if is_copied(e, a) else a.name for a in arguments}
    parameters = [f"{cpp.parameter_type(a.type)} {names[a.name]}" for a in arguments]
    if cpp.options(e):
        parameters.append(f"const {cpp.options(e)}& options")
    tensors = [a for a in arguments if a.type.is_tensor and a is not e.schema.mutated]
    passed = [f"restored({a.name})" if a.type.is_list and a.type.base == "int" and a.type.optional else
              f"*{a.name}" if is_copied(e, a) and a.type.is_tensor else a.name for a in arguments]
    results = [f"outputs.result({i})" for i in range(len(outputs))]
    return FORWARD.substitute(
        result=cpp.return_type(e.schema.returns), name=forward_name(e), parameters=", ".join(parameters),
        apart=on_aligned_copy(e), operands="".join(operand(e, a) for a in arguments), count=len(outputs), op=e.name,
        places=", ".join(names[a.name] for a in arguments if a.type.base in ("Tensor", "Device")),
        options=", &options" if cpp.options(e) else "", meta=e.native_function,
        arguments=", ".join(["outputs", *(a.name for a in arguments)]),
        reads=", ".join(f"&*{a.name}" if is_copied(e, a) else f"&{a.name}" for a in tensors),
        cpu=e.dispatch["CPU"], cuda=cuda_kernel(e),
        kernel_arguments=", ".join([*passed, *(f"outputs[{i}]" for i in range(len(outputs)))]),
        changed=f"  {e.schema.mutated.name}.bump_version();\n" if e.schema.mutated else "",
        return_=e.schema.mutated.name if e.schema.mutated else results[0] if len(results) == 1 else f"{{{', '.join(results)}}}")
