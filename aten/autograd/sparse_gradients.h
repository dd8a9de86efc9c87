// Sparse gradients: those of tables whose rows are selected (embedding with sparse=True). They are
// COO tensors that the engine sums, and that leaves adopt as they are.
#pragma once

#include "aten/core/sparse.h"

namespace tnp {

// The sum of two gradients, at least one of which is sparse. Two sparse ones give the elements of
// both, not coalesced; a dense one gives a dense sum.
Tensor sum_of_sparse_gradients(const Tensor& a, const Tensor& b);
// A sparse gradient that a leaf may keep and change: its values are contiguous, and nothing else reads
// their memory.
Tensor own_sparse_gradient(const Tensor& sparse);
// A copy in memory of its own, without history.
TNP_API Tensor sparse_copy(const Tensor& sparse);
// The dense tensor that equals a COO tensor.
TNP_API Tensor coo_to_dense(const Tensor& sparse);

// The gradient of a table of shape `sizes` from which the rows `indices` were selected; a COO tensor,
// not coalesced, if `sparse`.
TNP_API Tensor embedding_weight_backward(const Tensor& grad, const Tensor& indices, IntList sizes, int64_t padding_idx,
                                         bool scale_grad_by_freq, bool sparse);

}  // namespace tnp
