// Copies between layouts whose fastest dimensions differ.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// dst[...] = src, if both have one dtype and shape, lie apart, and are dense along different dimensions, each long
// enough to pay for tiles. False, and nothing written, otherwise.
bool copy_transposed(const Tensor& dst, const Tensor& src);

}  // namespace tnp
