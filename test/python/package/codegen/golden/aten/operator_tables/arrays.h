// Generated from native_functions/arrays.yaml. Descriptors of the operators
// that pointwise() and reduce() run.
#pragma once

#include "aten/core/operator_schema.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp::pointwise_ops {
}  // namespace tnp::pointwise_ops

namespace tnp::reduction_ops {
}  // namespace tnp::reduction_ops
