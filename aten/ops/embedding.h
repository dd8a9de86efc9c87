// What of an embedding's gradient reaches the table.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// `grad`, of the shape of an embedding, without the rows of padding, and divided by frequencies if there are `rows`.
Tensor embedding_weights(const Tensor& grad, const Tensor& indices, int64_t padding_idx, int64_t rows);

}  // namespace tnp::native
