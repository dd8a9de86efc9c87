// Weighting of an embedding's gradient before it is added to the table.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

// Returns `grad`, of the shape of an embedding, with zeros in the rows of padding. If `rows` is not
// 0, divides each row by the frequency of its index.
Tensor embedding_weights(const Tensor& grad, const Tensor& indices, int64_t padding_idx, int64_t rows);

}  // namespace tnp::native
