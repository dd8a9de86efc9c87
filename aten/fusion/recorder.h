// Records pointwise operators, whose results become pending: Note [Pending results] in
// aten/core/memory/storage.h.
#pragma once

#include <atomic>

#include "aten/fusion/mode.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

// Records an operator on the CPU instead of running it. The caller has chosen `loop` and checked
// the operands; the result has `dtype`. Returns false, with no effect, if the operator has to run
// at once. That is so if the result is small (and does not read a large pending one) or is written
// to an `out`. It is also so if an operand is not read from front to back, or if code outside of
// the library may change its memory.
bool record(const PointwiseOp& op, const PointwiseLoop& loop, ScalarType dtype, TensorList inputs,
            const PointwiseOptions& options, Tensor* results,
            int64_t least = least_bytes.load(std::memory_order_relaxed));

// Callback of the front end: whether floating-point errors of a watched operator (Note
// [Floating-point errors]) may be reported later than its call. The answer depends on how the front
// end handles them. Null means yes.
TNP_API extern std::atomic<bool (*)()> errors_may_wait;

}  // namespace tnp::fusion
