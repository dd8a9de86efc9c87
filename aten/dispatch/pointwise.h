// The entry point that runs every pointwise operator on every device.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

// Runs `op`. `results` has op.nout entries; each receives the result, which is the given `out` if
// there is one. Raises the errors of Iterator and loop_types.
TNP_API void pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results);
// For operators with one result.
TNP_API Tensor pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options = {});

}  // namespace tnp
