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

namespace tnp::schemas {
extern const OperatorSchema filled;
extern const OperatorSchema product;
extern const OperatorSchema swapped;
extern const OperatorSchema assign_;
extern const OperatorSchema joined;
extern const OperatorSchema joined_lists;
extern const OperatorSchema places;
extern const OperatorSchema normalized;
extern const OperatorSchema numbers;
extern const OperatorSchema fill_numbers;
}  // namespace tnp::schemas
