// Borders of one value: what is copied, and what is filled, on every device.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Copies of `input`'s inner part, and of `value` into what is around it. copy_into works on every device.
TNP_API void pad_constant(const Tensor& input, IntList pad, const Scalar& value, const Tensor& out);

}  // namespace tnp
