// Checks of operands' values before an operator computes (`check:` in native_functions.yaml).
#pragma once

#include "aten/core/tensor.h"

namespace tnp::checks {

// Raises Domain for integers to negative powers: the result is no integer. Floating bases are not
// checked.
void integer_power(TensorList inputs, ScalarType compute);

// PyTorch's lerp accepts floats and complex numbers, all three operands of one dtype. The weight
// may be a number.
void lerp_dtypes(TensorList inputs, ScalarType compute);

}  // namespace tnp::checks
