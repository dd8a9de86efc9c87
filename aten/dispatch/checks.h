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

// Raises Domain if an integer is divided by zero on the CPU, as in PyTorch. NumPy warns instead.
void zero_divisor(TensorList inputs, ScalarType compute);

// Raises Type for complex numbers, which PyTorch does not order.
void ordered_numbers(TensorList inputs, ScalarType compute);

// Raises Type for complex numbers on NumPy's face.
void real_in_numpy(TensorList inputs, ScalarType compute);

using Check = void (*)(TensorList inputs, ScalarType compute);

// Whether this check (or null) accepts operands that have passed it once in this dtype, whatever
// their elements are. `last`: the last operand, if it is a Python number. Checks of elements accept
// all floats, and positive integers.
bool accepts_any_elements(Check check, ScalarType compute, const Scalar* last);

}  // namespace tnp::checks
