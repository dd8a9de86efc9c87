// Deferral of pointwise operators, whose results become pending: Note [Pending results] in
// aten/core/memory/storage.h.
#pragma once

#include <atomic>

#include "aten/fusion/mode.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

// Defers an operator on the CPU: adds it to an expression instead of running it. The caller has
// chosen `loop` and checked the operands; the result has `dtype`. Returns false, with no effect, if
// the operator has to run at once. The reasons are: the result is small and no operand is a large
// pending result; the result is written to an `out`; an operand is not read from front to back; or
// code outside of the library may change an operand's memory.
bool defer(const PointwiseOp& op, const PointwiseLoop& loop, ScalarType dtype, TensorList inputs,
           const PointwiseOptions& options, Tensor* results,
           int64_t least = least_bytes.load(std::memory_order_relaxed));

// Callback of the front end: whether floating-point errors of a watched operator (Note
// [Floating-point errors]) may be reported later than its call. The front end decides this by its
// error settings (np.errstate). If the callback is null, errors may be reported later.
TNP_API extern std::atomic<bool (*)()> errors_may_wait;

}  // namespace tnp::fusion
