// One function that runs every pointwise operator on every device.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

// Runs `op`. `results` has op.nout entries; given `out`s are returned in them. Raises what Iterator and loop_types
// raise.
TNP_API void pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results);
// For operators of one result.
TNP_API Tensor pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options = {});

}  // namespace tnp
