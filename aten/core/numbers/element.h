// Conversion of a number that the caller supplied as an array element, such as `initial=`.
#pragma once

#include "aten/core/numbers/scalar.h"

namespace tnp {

// Converts `value` as Python's bool(), int(), float() or complex() would: a float loses its
// fraction. Raises Type for a complex number where a real one is needed, Value for NaN to integer,
// and Overflow if the integer dtype cannot hold the value.
TNP_API Scalar element_of(const Scalar& value, ScalarType dtype);

}  // namespace tnp
