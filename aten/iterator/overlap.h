// Whether two strided pieces of memory share bytes: cheap tests that may say yes where the truth is no. Memory is
// compared, not storages: two arrays that were made from one array of NumPy's have a storage each.
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
  Same,  // the same elements at the same indices: reading one before writing it is all that is needed
  Some,
};
TNP_API Overlap memory_overlap(const Extent& a, const Extent& b);
TNP_API Overlap memory_overlap(const Tensor& a, const Tensor& b);
// Whether the spans of both meet.
TNP_API bool may_share_memory(const Tensor& a, const Tensor& b);

}  // namespace tnp
