// Report on how a trace's steps are replayed, for users.
#pragma once

#include <string>
#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

struct ExplainedStep {
  const Step* step;
  int group = -1;  // number of the block that it is fused into; -1: not fused
  // Why it is not fused ("a reduction"); empty: it could be, but its neighbours cannot.
  std::string reason;
  // Number of the step that computes it tile by tile of rows, together with others; -1: none.
  int tiles = -1;
};

// The trace's steps in order; steps of blocks are listed individually.
TNP_API std::vector<ExplainedStep> explain(const Trace& trace);

}  // namespace tnp::compiler
