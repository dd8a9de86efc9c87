// Generated from native_functions/arrays.yaml. Shape functions of operators with kernels: they check
// the arguments and describe the results. The files that define them include this header.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aten/dispatch/outputs.h"

namespace tnp {

class Generator;

namespace meta {

void product(Outputs& outputs, Operand& input, Operand& other, double& scale);
void assign_(Outputs& outputs, const Tensor& self, Operand& src);
void joined(Outputs& outputs, OperandList& tensors, int64_t& dim);
void chosen(Outputs& outputs, Operand& input, int64_t& dim);
void places(Outputs& outputs, Operand& input, std::optional<int64_t>& dim);

}  // namespace meta
}  // namespace tnp
