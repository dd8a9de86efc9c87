// Selection of a pointwise operator's loop for given operands.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

struct PointwiseChoice {
  const PointwiseLoop* loop;
  LoopTypes types;
};

// Raises Dtype if there is no suitable loop.
TNP_API PointwiseChoice choose_loop(const PointwiseOp& op, TensorList inputs, std::optional<ScalarType> dtype,
                                    DeviceType device);
// Raises Casting if an operand may not be cast to the loop's dtype.
void check_input_casts(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs, Casting casting);

// How an operator folds (ufunc.reduce): its loop for the input's device, the loop's compute dtype,
// and the result dtype. Raises Value if the operator is not binary, and Dtype if its result dtype
// differs from its operand dtype.
struct FoldChoice {
  const PointwiseLoop* loop;
  ScalarType compute, result;
};
FoldChoice choose_fold(const PointwiseOp& op, const Tensor& input, std::optional<ScalarType> dtype);

// Whether the loops of `device` are kernel launches over whole tensors. Those of the CPU run over
// lines of host memory.
inline bool runs_by_launches(Device device) { return !device.is_cpu(); }

// Whether `op` compares int64 with uint64, which needs operands of two dtypes in one loop.
bool mixes_signs(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs);

// The dtype that the caller sees: a float32 loop used for float16 operands gives float16.
inline ScalarType shown_dtype(ScalarType loop_dtype, ScalarType shown) {
  return loop_dtype == compute_type(shown) ? shown : loop_dtype;
}

}  // namespace tnp
