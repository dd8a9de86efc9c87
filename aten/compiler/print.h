// Text of calls and traces, for people. No pass reads it.
#pragma once

#include <string>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

// "add(%1, 2.5)", "block(%3 = add(%1, %2); %4 = exp(%3))"
TNP_API std::string text(const Step& step);
// One line per step.
TNP_API std::string text(const Trace& trace);

}  // namespace tnp::compiler
