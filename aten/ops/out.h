// out= for composite operators.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Copies `result` to `out`, if it is defined; the copy is recorded for gradients. Raises Shape or
// Runtime if `out` has another shape or device. The caller checks which casts are allowed.
Tensor into_out(const Tensor& out, const Tensor& result);

}  // namespace tnp
