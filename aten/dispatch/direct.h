// The fast path of pointwise operators.
//
// Note [Direct calls] The shortest path from operands to a loop, for programs that make many small
// calls. Requires CPU operands of one shape (or 0-d) that are contiguous or have one axis (such as
// a column of a matrix). Their dtypes must be those of a loop that an earlier call selected, and
// none may require a gradient. There is no promotion, no search and no iterator. All other calls
// use pointwise().
#pragma once

#include "aten/core/threads/thread_state.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// Operand `i` is inputs[i], or the number constants[i] if inputs[i] is null.
struct DirectOperands {
  const TensorImpl* inputs[3] = {};
  const Scalar* constants[3] = {};
};

// Returns the result, or an undefined tensor if the call does not qualify. The result is written to
// `out` if given; an operand may be `out` itself but must not otherwise overlap it. If a watch for
// floating-point errors is open and flags are set after the loop, a call without `out` does not
// qualify; a call with `out` has already written, so it records the errors.
TNP_API Tensor run_direct(const PointwiseOp& op, const DirectOperands& operands, TensorImpl* out);

// Whether `value`, a Python number combined with an array of this dtype, is used in that dtype,
// without error and without changing the result's dtype.
TNP_API bool takes_directly(ScalarType dtype, const Scalar& value);

// Whether `t` qualifies as an operand of a direct call.
inline bool is_direct(const TensorImpl& t) {
  return t.access() == Access::Direct && (t.is_contiguous || t.sizes.size() == 1) && t.storage->device().is_cpu() &&
         !t.is_wrapped_number && (!(t.autograd || (t.base && t.base->autograd)) || !grad_enabled());
}

}  // namespace tnp
