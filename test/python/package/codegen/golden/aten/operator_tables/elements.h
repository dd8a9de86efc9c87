// Generated from native_functions/elements.yaml. Descriptors of the operators
// that pointwise() and reduce() run.
#pragma once

#include "aten/core/operator_schema.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::pointwise_ops {
TNP_API extern const PointwiseOp twice;
TNP_API extern const PointwiseOp halves;
}  // namespace tnp::pointwise_ops

namespace tnp::reduction_ops {
TNP_API extern const ReductionOp total;
}  // namespace tnp::reduction_ops
