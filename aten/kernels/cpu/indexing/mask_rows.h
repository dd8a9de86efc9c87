// Boolean indexing without index arrays: x[mask] and x[mask] = values.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// The rows of `rows` (n, ...) where `mask` (n) is true; all are contiguous and on the CPU. Shape
// (true elements, ...).
Tensor select_rows_cpu(const Tensor& rows, const Tensor& mask);
// Writes `values` (true elements, ...) into the rows where `mask` is true. `values` is contiguous,
// has the dtype of `rows` and does not alias it. Returns false, without writing, if the number of
// values differs from the number of true elements.
bool put_rows_cpu(const Tensor& rows, const Tensor& mask, const Tensor& values);

}  // namespace tnp
