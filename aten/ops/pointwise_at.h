// ufunc.at: a[places] = op(a[places], values) with each place computed as often as it is named.
#pragma once

#include "aten/ops/fold.h"

namespace tnp {

// `places`: contiguous int64, the positions in C order of elements of `a` (all within it); `values`: contiguous, as
// many as there are places, or undefined for a unary operator; all on one device. The result is cast to a's dtype
// whatever that loses. Raises Dtype if the operator does not take the operands.
TNP_API void pointwise_at(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                          FoldOrder order);

// The same on devices that kernels are launched on. Places that are not within `a` are found there: see index_cuda.
void pointwise_at_by_launches(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                              FoldOrder order);

}  // namespace tnp
