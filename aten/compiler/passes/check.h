// Checker of traces: finds the pass of plan() that breaks an invariant, before a replay computes
// with the broken trace.
//
// Note [Invariants] Of every trace:
// - views and slots exist; slots of arguments have one of the call's numbers
// - a step has a call, or parts that have one
// - a step reads memory that exists before the call, or that an earlier step has written
// - a step's reads and writes have the views of its call, and the slots that its parts share with
//   other steps
// - a step allocates only memory that it writes
// - a slot that the caller receives is written
// - guards come before the first effect outside of the trace
// Of a planned trace, also:
// - `done` has slots of steps that no later step uses, each once, and none that the caller receives
// - slots in the arena are within it, and overlap only if no step uses one before the last use of
//   the other
#pragma once

#include "aten/compiler/trace.h"

namespace tnp::compiler {

// Raises Internal if an invariant does not hold. The message names the pass that ran last, the step
// and the invariant.
TNP_API void check(const Trace& trace, const char* pass);

}  // namespace tnp::compiler
