// What is asked of out= wherever a result is copied or written there.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Raises ReadOnly, Shape, Casting (by NumPy's rule 'same_kind') or Runtime if `out` cannot receive a result of this
// shape, dtype and device.
TNP_API void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device);

}  // namespace tnp
