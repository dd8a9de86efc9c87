// ufunc.at on the CPU.
#pragma once

#include "aten/core/tensor.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// a[place] = op(a[place], value) for each of `places`, as in aten/ops/pointwise/pointwise_at.h,
// computed by `loop`. `values` are those that the caller passed; `second` holds them in the dtype
// that the loop reads. Both are undefined for a unary operator.
void pointwise_at_cpu(const PointwiseOp& op, const PointwiseLoop& loop, const Tensor& a, const Tensor& places,
                      const Tensor& values, const Tensor& second);

}  // namespace tnp
