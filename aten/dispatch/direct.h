// Note [Direct calls] The shortest way from operands to a loop, for the many small calls of a program: operands that
// are contiguous or of one axis (a column, every other element), of one shape (or of no dimension), on the CPU, in just
// the dtypes of a loop that an earlier call chose, and of whom no gradient is wanted. No promotion, no search, no
// iterator. Whatever else comes takes pointwise().
#pragma once

#include "aten/core/threads/thread_state.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// Operand `i` is inputs[i], or the number constants[i] where that is null.
struct DirectOperands {
  const TensorImpl* inputs[3] = {};
  const Scalar* constants[3] = {};
};

// The result, or an undefined tensor if this call is not such a one. `out`, if given, receives it: operands may be
// `out` itself, but nothing else of its storage. In a dialect whose watch for floating-point errors is open, a call
// that may have met some is not such a one either; where it has written into `out`, they are recorded.
TNP_API Tensor run_direct(const PointwiseOp& op, const DirectOperands& operands, TensorImpl* out);

// Whether a number of Python's beside an array of this dtype is computed in it, without error and without changing the
// result's dtype.
TNP_API bool takes_directly(ScalarType dtype, const Scalar& value);

// Whether a tensor may take part at all.
inline bool is_direct(const TensorImpl& t) {
  return t.access() == Access::Direct && (t.is_contiguous || t.sizes.size() == 1) && t.storage->device().is_cpu() &&
         !t.is_wrapped_number && (!(t.autograd || (t.base && t.base->autograd)) || !thread_state.grad_enabled);
}

}  // namespace tnp
