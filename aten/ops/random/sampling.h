// Helper of operators that fill a tensor with random numbers in the torch-style face.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Returns a view of `self` with its axes sorted by stride. If `self` is dense in any order of axes,
// the view is contiguous.
Tensor in_memory_order(const Tensor& self);

// Makes the version of a new tensor 0 after it has been filled: the random numbers are its first values, no change.
inline const Tensor& as_new(const Tensor& filled) {
  while (filled.version() != 0) filled.storage().count_data_change();
  return filled;
}

}  // namespace tnp::native
