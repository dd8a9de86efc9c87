// out= for composite operators.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Copies `result` to `out`, if `out` is defined. Autograd records the copy. Raises Shape or Runtime
// if `out` has another shape or device. The caller checks which casts are allowed.
Tensor into_out(const Tensor& out, const Tensor& result);

}  // namespace tnp
