// Gather: x[i] for a dense line x and int64 indices i.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// out[k] = table[index[k]], for contiguous one-dimensional tensors. Returns false, with `out`
// incomplete, if an index is negative or out of range.
bool gather_cpu(const Tensor& table, const Tensor& index, const Tensor& out);

}  // namespace tnp
