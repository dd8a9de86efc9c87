// From a record to what is replayed: without what is computed twice or for nobody, and with memory that is given back.
#pragma once

#include <string>

#include "aten/compiler/record.h"

namespace tnp::compiler {

class Backend;
// `backend`: which may compute steps instead of the engine (subgraph.h); or null.
TNP_API void plan(Record& record, const Backend* backend = nullptr);
// Runs all steps. False: one of them gave something else than when it was recorded.
TNP_API bool run(const Record& record, Frame& frame);
// One line a step.
TNP_API std::string text(const Record& record);

}  // namespace tnp::compiler
