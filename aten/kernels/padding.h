// Padding with a constant value, on every device.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Copies `input` without its cropped edges into `out` and fills the border with `value`. Negative
// `pad` crops. Uses copy_into(), which works on every device.
TNP_API void pad_constant(const Tensor& input, IntList pad, const Scalar& value, const Tensor& out);

}  // namespace tnp
