// The numbers that a dtype can hold.
#pragma once

#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/scalar.h"

namespace tnp {

// The largest finite number of the floating `dtype`.
TNP_API double largest_finite(ScalarType dtype);

// Raises an error if `dtype` cannot hold `value`, by the rules of the calling face. NumPy:
// OverflowError for a Python integer out of the range of an integer dtype. PyTorch: RuntimeError for
// every finite number out of range, for NaN and infinity as an integer, for an imaginary part as a
// real number. There, unsigned integers take negative ones modulo their range.
TNP_API void check_fits(const Scalar& value, ScalarType dtype);

}  // namespace tnp
