// Checks of operands' values before an operator computes (`check:` in native_functions.yaml).
#pragma once

#include "aten/core/tensor.h"

namespace tnp::checks {

// Raises Domain if an integer base has a negative exponent, since the result is not an integer.
// Floating bases are not checked.
void integer_power(TensorList inputs, ScalarType compute);

// Raises Dtype unless all three operands of lerp have one dtype, as PyTorch requires. The weight
// may also be a number. Raises NotImplemented for bools and integers.
void lerp_dtypes(TensorList inputs, ScalarType compute);

}  // namespace tnp::checks
