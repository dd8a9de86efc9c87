#include "aten/compiler/passes/passes.h"

#include <algorithm>

namespace tnp::compiler {

void drop_unused(Trace& r) {
  std::vector<bool> live(r.slots.size());
  for (size_t s = 0; s < r.slots.size(); ++s) live[s] = r.slots[s].origin != Origin::Step || r.slots[s].escapes;
  for (size_t i = r.steps.size(); i-- > 0;) {
    const Step& step = *r.steps[i];
    const bool is_needed = step.draws || step.looks || std::any_of(step.writes.begin(), step.writes.end(), [&](int v) {
                             return live[static_cast<size_t>(slot_of(r, v))];
                           });
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
