// Conservative tests of whether two strided arrays share memory: they may report an overlap where
// there is none. They compare addresses, not storages: two arrays made from one NumPy array have
// separate storages.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

struct Extent {
  const char* data;
  IntList sizes;
  IntList strides;  // bytes
  int64_t itemsize;
};

enum class Overlap {
  None,
  Same,  // the same elements at the same indices: safe if each element is read before it is written
  Some,
};
TNP_API Overlap memory_overlap(const Extent& a, const Extent& b);
TNP_API Overlap memory_overlap(const Tensor& a, const Tensor& b);
// Whether the address ranges overlap.
TNP_API bool may_share_memory(const Tensor& a, const Tensor& b);

}  // namespace tnp
