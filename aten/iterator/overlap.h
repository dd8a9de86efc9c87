// Whether two strided pieces of memory share bytes: cheap tests that may say yes where the truth is no.
#pragma once

#include "aten/core/dim_vector.h"

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

}  // namespace tnp
