// Helper of operators that fill a tensor with random numbers in the torch-style face.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Returns a view of `self` with its axes sorted by stride. If `self` is dense in any order of axes,
// the view is contiguous.
Tensor in_memory_order(const Tensor& self);

}  // namespace tnp::native
