// The size in bytes of an array's elements.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Raises Shape if a size is negative or the byte count overflows int64. As in NumPy, the product of
// an empty array's nonzero sizes must not overflow either, since its byte strides must be
// representable.
TNP_API int64_t bytes_of(IntList sizes, ScalarType dtype);

}  // namespace tnp
