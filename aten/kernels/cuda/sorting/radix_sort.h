// Stable sort of unsigned integers, by CUB.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// Sorts the keys (uint16, uint32 or uint64) of each of `lines` consecutive lines by their lowest
// `bits`; the other bits must be zero. `items` holds a value per key that moves with it: uint32, or
// uint64 with keys of uint64. If `items` is undefined, the keys are sorted alone. The function
// overwrites both tensors, and may assign other tensors to the references.
void radix_sort(Tensor& keys, Tensor& items, int64_t lines, int bits);

}  // namespace tnp::gpu
