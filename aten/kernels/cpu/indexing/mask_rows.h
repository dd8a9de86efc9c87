// x[mask] and x[mask] = values, without index arrays.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// The rows of `rows`, (n, ...), where `mask`, (n), is true; all contiguous and on the CPU. Shape (true elements, ...).
Tensor select_rows_cpu(const Tensor& rows, const Tensor& mask);
// Writes `values`, (true elements, ...), contiguous and of the dtype of `rows`, into those rows; they share no memory.
// False, and nothing is written, if their number is another one.
bool put_rows_cpu(const Tensor& rows, const Tensor& mask, const Tensor& values);

}  // namespace tnp
