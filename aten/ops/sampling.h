// Helper of the torch-style random fills.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Permutes the axes of `self` so that its elements are in memory order: a tensor that is dense in
// any order becomes contiguous.
Tensor in_memory_order(const Tensor& self);

}  // namespace tnp::native
