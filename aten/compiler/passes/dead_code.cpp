#include "aten/compiler/passes/passes.h"

#include <algorithm>

#include "aten/compiler/steps.h"

namespace tnp::compiler {

namespace {

// Whether the step may raise for some values of its operands, such as inv() of a singular matrix or
// take() of an index out of bounds.
bool may_raise(const Step& step) {
  if (!dynamic_cast<const CallStep*>(&step) || step.call.reduction) return false;
  if (step.call.pointwise) return step.call.pointwise->check != nullptr;
  return step.call.op != &copy_op && step.call.op != &fill_op;
}

}  // namespace

void drop_unused(Trace& r, bool keeps_errors) {
  std::vector<bool> live(r.slots.size());
  for (size_t s = 0; s < r.slots.size(); ++s) live[s] = r.slots[s].origin != Origin::Step || r.slots[s].escapes;
  for (size_t i = r.steps.size(); i-- > 0;) {
    const Step& step = *r.steps[i];
    const bool is_needed = step.draws || step.looks || (keeps_errors && may_raise(step)) ||
                           std::any_of(step.writes.begin(), step.writes.end(),
                                       [&](int v) { return live[static_cast<size_t>(slot_of(r, v))]; });
    if (!is_needed) {
      r.steps[i] = nullptr;
      continue;
    }
    for (int v : step.reads) live[static_cast<size_t>(slot_of(r, v))] = true;
    for (int v : step.writes) live[static_cast<size_t>(slot_of(r, v))] = true;
  }
  std::erase(r.steps, nullptr);
}

}  // namespace tnp::compiler
