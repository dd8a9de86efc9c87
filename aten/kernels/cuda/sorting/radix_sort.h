// Stable sorting of unsigned integers, by CUB.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// Sorts the keys, uint16, uint32 or uint64, of each of `lines` lines that lie one after the other, by their lowest
// `bits`, the others being zero. What `items` has for each key goes with it: nothing where they are undefined; else
// uint32, or uint64 with keys of uint64. Both are overwritten, and may be in other memory afterwards.
void radix_sort(Tensor& keys, Tensor& items, int64_t lines, int bits);

}  // namespace tnp::gpu
