#include "aten/compiler/passes/passes.h"

#include <algorithm>
#include <utility>

#include "aten/compiler/steps.h"

namespace tnp::compiler {

// Gradients are copied while tracing, since the tracer's reference keeps autograd from taking over
// their memory.
void drop_copies(Trace& r) {
  std::vector<size_t> last_use(r.slots.size());
  for (size_t i = 0; i < r.steps.size(); ++i)
    for (const std::vector<int>* views : {&r.steps[i]->reads, &r.steps[i]->writes})
      for (int v : *views) last_use[static_cast<size_t>(slot_of(r, v))] = i;
  for (size_t i = 0; i + 1 < r.steps.size(); ++i) {
    const auto* empty = dynamic_cast<const EmptyStep*>(r.steps[i].get());
    const Call& copy = r.steps[i + 1]->call;
    if (!empty || copy.op != &copy_op || slot_of(r, copy.view(0)) != slot_of(r, empty->writes[0])) continue;
    const View to = view_of(r, copy.view(0)), from = view_of(r, copy.view(1));
    Slot &copied = r.slots[static_cast<size_t>(to.slot)], &source = r.slots[static_cast<size_t>(from.slot)];
    const bool is_same = to.dtype == from.dtype && to.sizes == from.sizes && to.strides == from.strides &&
                         to.is_contiguous && from.is_contiguous && to.offset == 0 && from.offset == 0 &&
                         copied.device == source.device;
    const auto whole = std::find_if(r.views.begin(), r.views.end(), [&](const View& v) { return v.slot == from.slot; });
    if (!is_same || source.origin != Origin::Step || source.escapes || whole->numel != from.numel ||
        last_use[static_cast<size_t>(from.slot)] != i + 1)
      continue;
    source.escapes = std::exchange(copied.escapes, false);
    source.is_written = source.is_written || copied.is_written;
    last_use[static_cast<size_t>(from.slot)] = last_use[static_cast<size_t>(to.slot)];
    for (View& v : r.views)
      if (v.slot == to.slot) v.slot = from.slot;
    r.steps[i].reset();
    r.steps[i + 1].reset();
    ++i;
  }
  std::erase(r.steps, nullptr);
}

}  // namespace tnp::compiler
