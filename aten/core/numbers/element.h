// Numbers on their way to be one element of an array, where a program gave them for that: `initial=`.
#pragma once

#include "aten/core/numbers/scalar.h"

namespace tnp {

// `value` as Python's bool(), int(), float() or complex() makes an element of `dtype` of it: a float loses its
// fraction. Raises Type for a complex number that is to be real, Value for NaN that is to be an integer, and Overflow
// for what an integer dtype does not hold.
TNP_API Scalar element_of(const Scalar& value, ScalarType dtype);

}  // namespace tnp
