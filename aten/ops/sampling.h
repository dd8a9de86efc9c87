// What the fills of PyTorch's face share.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// `self` seen so that its elements come in the order of their memory: what is dense in some order becomes contiguous.
Tensor in_memory_order(const Tensor& self);

}  // namespace tnp::native
