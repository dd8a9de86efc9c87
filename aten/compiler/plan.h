// Planner: runs the passes that turn a trace into the steps that are replayed. They eliminate common
// subexpressions and dead steps, fuse steps, and plan the memory.
#pragma once

#include <string>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

class Backend;

struct PlanOptions {
  const Backend* backend = nullptr;  // may compute steps in place of the engine (subgraph.h)
  // Measure alternatives that give the same bits, and choose the fastest on this machine.
  bool is_measured = false;
  bool is_backward = false;  // it computes gradients: the function itself has raised what there is to raise
};
TNP_API void plan(Trace& trace, const PlanOptions& options = {});
// Runs all steps. Returns false if a step's outcome differs from the recorded one. `at` is the
// index of the running step, also if that step raises.
TNP_API bool run(const Trace& trace, Frame& frame, size_t& at);

}  // namespace tnp::compiler
