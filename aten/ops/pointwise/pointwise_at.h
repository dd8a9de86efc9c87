// ufunc.at: a[places] = op(a[places], values). A position that occurs n times in `places` is
// updated n times.
#pragma once

#include "aten/ops/reduction/fold.h"

namespace tnp {

// `places`: contiguous int64 tensor of positions of elements of `a` in C order, all within bounds.
// `values`: contiguous, one value per position, or undefined for a unary operator. All tensors are
// on one device. The result is cast to a's dtype without a check. Raises Dtype if the operator does
// not accept the operands.
TNP_API void pointwise_at(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                          FoldOrder order);

// Same as pointwise_at(), for devices with kernel launches. On such devices the kernels detect
// positions that are out of bounds; see index_cuda.
void pointwise_at_by_launches(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                              FoldOrder order);

}  // namespace tnp
