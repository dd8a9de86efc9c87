// How many bytes the elements of an array take.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Raises Shape for a negative size, or if an index cannot count the bytes. Of an array without elements the other sizes
// count, as in NumPy: its strides in bytes must be numbers too.
TNP_API int64_t bytes_of(IntList sizes, ScalarType dtype);

}  // namespace tnp
