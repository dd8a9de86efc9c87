// The gradient of as_strided: scatters with one geometry and gathers with another.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Adds the elements of `input` at the offsets given by `stride` and `offset`, then reads the sums
// with the other geometry.
Tensor restride_cpu(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                    int64_t to_offset);

}  // namespace tnp::native
