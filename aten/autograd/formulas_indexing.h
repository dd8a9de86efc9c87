// Helpers of the derivative formulas of indexing.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// `grad`, with zeros at the positions that an assignment through `indices` overwrote.
TNP_API Tensor zero_indexed(const Tensor& grad, TensorList indices, int64_t position);
// index(grad, indices, position), with zeros for values that a later value of the same assignment
// overwrote.
TNP_API Tensor stayed_indexed(const Tensor& grad, TensorList indices, int64_t position);

}  // namespace tnp::formulas
