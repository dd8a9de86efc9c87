// ufunc.at: a[places] = op(a[places], values), applied once for each occurrence of a place.
#pragma once

#include "aten/ops/fold.h"

namespace tnp {

// `places`: contiguous int64, the positions of elements of `a` in C order, all within bounds.
// `values`: contiguous, one per place, or undefined for a unary operator. All are on one device.
// The result is cast to a's dtype without a check. Raises Dtype if the operator does not accept the
// operands.
TNP_API void pointwise_at(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                          FoldOrder order);

// The same for devices with kernel launches. There the kernels detect places out of bounds: see
// index_cuda.
void pointwise_at_by_launches(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values,
                              FoldOrder order);

}  // namespace tnp
