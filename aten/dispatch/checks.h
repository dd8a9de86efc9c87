// What operators check of their operands' values before they compute (`check:` in native_functions.yaml).
#pragma once

#include "aten/core/tensor.h"

namespace tnp::checks {

// Integers to negative integer powers are no integers: raises Domain, unless the base is floating.
void integer_power(TensorList inputs, ScalarType compute);

// PyTorch's lerp takes floats and complex numbers, all three of one dtype; the weight may be a number.
void lerp_dtypes(TensorList inputs, ScalarType compute);

}  // namespace tnp::checks
