// Interpreter: runs a trace call by call, without a plan. It is the reference for plans.
#pragma once

#include "aten/compiler/trace.h"
#include "aten/core/containers/function_ref.h"

namespace tnp::compiler {

// Runs the calls of a trace that is not planned, in order. Each result has memory of its own, which
// the frame keeps. Returns false if a call's outcome differs from the traced one. `at` is the index
// of the running step, also if that step raises. `after` is called after each step.
//
// Calls whose operands are not available are skipped: the caller has not bound an argument that
// only dead stores read.
TNP_API bool interpret(const Trace& trace, Frame& frame, size_t& at, function_ref<void()> after = [] {});

}  // namespace tnp::compiler
