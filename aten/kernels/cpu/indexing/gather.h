// x[i] of lines: the elements of a dense one that int64 numbers choose.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// out[k] = table[index[k]], of contiguous tensors with one axis. False, with `out` incomplete: a number was not a place
// counted from the start.
bool gather_cpu(const Tensor& table, const Tensor& index, const Tensor& out);

}  // namespace tnp
