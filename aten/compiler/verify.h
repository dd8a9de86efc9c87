// Verification of compiled functions: each replay is repeated by the trace as it was recorded, call
// by call, and everything that a caller can see is compared.
//
// Note [Verification] plan() keeps a copy of the trace from before its passes, the reference. run()
// then runs the plan, puts back the memory from outside that it has changed, interprets the
// reference, and compares the bits of results and changed memory, and the reported floating-point
// errors. NaNs are equal to each other. Errors of dead stores, which a plan does not run, may be
// missing. If the plan raises, the reference must raise the same error.
// Traces that are not verified: those on devices, those that draw random numbers, and those with code
// of libraries or Python, which may have a state.
#pragma once

#include <memory>

#include "aten/compiler/trace.h"
#include "aten/core/containers/function_ref.h"
#include "aten/core/verification.h"

namespace tnp::compiler {

struct VerificationStatistics {
  uint64_t verified, not_verifiable;  // replays that were compared; traces that cannot be
};
TNP_API VerificationStatistics verification_statistics();

// A copy of the trace before planning; null if it cannot be verified.
std::unique_ptr<Trace> reference_of(const Trace& trace);
// Runs trace.reference after `run_plan` has run the plan in `frame`, and compares. Returns what
// `run_plan` returns. Raises VerificationError if there is a difference.
bool run_verified(const Trace& trace, Frame& frame, function_ref<bool()> run_plan);

}  // namespace tnp::compiler
