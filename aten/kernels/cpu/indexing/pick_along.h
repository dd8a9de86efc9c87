// Picks one element of each line, for reductions that return an index.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// out = the elements of `input` at `indices` along `dim`. All have the same shape, except that
// `indices` and `out` have size 1 along `dim`. A 0-d input has one line of one element. Indices are
// in range; `out` is row-major.
void pick_along_cpu(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out);

}  // namespace tnp
