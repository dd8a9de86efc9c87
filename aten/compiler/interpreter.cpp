#include "aten/compiler/interpreter.h"

#include <algorithm>

#include "aten/compiler/frame.h"

namespace tnp::compiler {

bool interpret(const Trace& trace, Frame& frame, size_t& at, function_ref<void()> after) {
  const auto is_available = [&](int v) { return frame.is_available(v); };
  for (at = 0; at < trace.steps.size(); ++at) {
    const Step& step = *trace.steps[at];
    TNP_CHECK(step.call.op, ErrorKind::Internal, "step ", at, ", ", step.name(), ", is planned: it has no call");
    if (!std::all_of(step.reads.begin(), step.reads.end(), is_available)) continue;
    if (!step.run(frame)) return false;
    after();
  }
  return true;
}

}  // namespace tnp::compiler
