// The gradient of as_strided: scatter by one geometry, gather by another.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// The sum of what `input`, seen by `stride` and `offset`, has at each place, read by the other geometry.
Tensor restride_cpu(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                    int64_t to_offset);

}  // namespace tnp::native
