// Makes results pending: Note [Pending results] in aten/core/memory/storage.h.
#pragma once

#include <atomic>

#include "aten/fusion/mode.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

// Records an operator on the CPU instead of running it; `loop` is chosen, its operands are checked, and its result has
// `dtype`. False, and nothing happened, where the result has to be computed at once: it is small (and not computed from
// one that is pending and large), goes to an `out`, has operands that are not read from front to back, or whose bytes
// others may change.
bool record(const PointwiseOp& op, const PointwiseLoop& loop, ScalarType dtype, TensorList inputs,
            const PointwiseOptions& options, Tensor* results,
            int64_t least = least_bytes.load(std::memory_order_relaxed));

// Whether the errors of a watched operator (Note [Floating-point errors]) may be known later than it is called: the
// front end says so, by what it would do with them. Null: they may.
TNP_API extern std::atomic<bool (*)()> errors_may_wait;

}  // namespace tnp::fusion
