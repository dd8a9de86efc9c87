// Products of 16-bit floats on processors without instructions for them.
#pragma once

#include "aten/core/tensor.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"

namespace tnp::native {

// Whether the product has been computed by loops that widen the operands to float32 a block at a
// time. The operands have the dtype of `out`, which is dense, and any strides. False if there are
// no such loops for the instruction set. `bias`: undefined, or a row to add to each row.
bool multiply_by_widening(const Stack& a, const Stack& b, const Tensor& bias, const Tensor& out, IntList batch);

}  // namespace tnp::native
