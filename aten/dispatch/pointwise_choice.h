// Which loop of a pointwise operator computes with given operands.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

struct PointwiseChoice {
  const PointwiseLoop* loop;
  LoopTypes types;
};

// Raises Dtype if there is none.
TNP_API PointwiseChoice choose_loop(const PointwiseOp& op, TensorList inputs, std::optional<ScalarType> dtype,
                                    DeviceType device);
// Raises Casting if an operand may not be cast to what the loop takes.
void check_input_casts(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs, Casting casting);

// How an operator folds: its loop for the input's device, what that computes in, and the dtype of the result. Raises
// Value if it is not binary, Dtype if it does not take again what it gives.
struct FoldChoice {
  const PointwiseLoop* loop;
  ScalarType compute, result;
};
FoldChoice choose_fold(const PointwiseOp& op, const Tensor& input, std::optional<ScalarType> dtype);

// Whether int64 is compared with uint64, which needs more than one dtype in a loop.
bool mixes_signs(const PointwiseOp& op, const PointwiseChoice& choice, TensorList inputs);

// What the caller sees of the loop's dtype: a float32 loop that stands in for float16 gives float16.
inline ScalarType shown_dtype(ScalarType loop_dtype, ScalarType shown) {
  return loop_dtype == compute_type(shown) ? shown : loop_dtype;
}

}  // namespace tnp
