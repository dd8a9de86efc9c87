// Scaling of an embedding's gradient before the gradient is added to the table's gradient.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Returns a copy of `grad`, the gradient of an embedding's result, with zeros in the rows whose
// index is `padding_idx`. `rows` is the number of rows of the table, or 0. If it is not 0, each row
// of the result is divided by the number of times that its index occurs.
Tensor embedding_weights(const Tensor& grad, const Tensor& indices, int64_t padding_idx, int64_t rows);

}  // namespace tnp::native
