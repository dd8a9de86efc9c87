// From a record to what is replayed: without what is computed twice or for nobody, and with memory that is given back.
#pragma once

#include <string>

#include "aten/compiler/record.h"

namespace tnp::compiler {

class Backend;

struct PlanOptions {
  const Backend* backend = nullptr;  // which may compute steps instead of the engine (subgraph.h)
  // Where there are several ways to the same bits, the one that is the fastest here, by measurement.
  bool is_measured = false;
};
TNP_API void plan(Record& record, const PlanOptions& options = {});
// Runs all steps. False: one of them gave something else than when it was recorded. `at` is the number of the step that
// runs, also where that raises.
TNP_API bool run(const Record& record, Frame& frame, size_t& at);
// One line a step.
TNP_API std::string text(const Record& record);

}  // namespace tnp::compiler
