// One element of each line, for reductions that say where it is.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// out = the elements of `input` at `indices` along `dim`: all have the same shape but for `dim`, where indices and
// `out` have 1. A 0-d input has one line, of one element. Indices are in range; `out` is row-major.
void pick_along_cpu(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out);

}  // namespace tnp
