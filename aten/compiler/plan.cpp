#include "aten/compiler/plan.h"

#include <algorithm>
#include <optional>

#include "aten/compiler/device_fusion.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/fuse.h"
#include "aten/compiler/passes/check.h"
#include "aten/compiler/passes/passes.h"
#include "aten/compiler/print.h"
#include "aten/compiler/product_steps.h"
#include "aten/compiler/reduced_block.h"
#include "aten/compiler/row_tiles.h"
#include "aten/compiler/subgraph.h"
#include "aten/compiler/verify.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/threads/kept_threads.h"

namespace tnp::compiler {

namespace {

struct Pass {
  const char* name;
  void (*run)(Trace& trace, const PlanOptions& options);
};

template <void (*pass)(Trace&)>
void always(Trace& trace, const PlanOptions&) {
  pass(trace);
}

// In the order in which they run.
constexpr Pass kPasses[] = {
    {"rewrite", always<rewrite>},
    {"drop_repeated", always<drop_repeated>},
    {"drop_unused", [](Trace& trace, const PlanOptions& options) { drop_unused(trace, !options.is_backward); }},
    {"drop_copies", always<drop_copies>},
    {"replace_subgraphs",
     [](Trace& trace, const PlanOptions& options) {
       if (options.backend) replace_subgraphs(trace, *options.backend);
     }},
    {"lower", always<lower>},
    {"fuse", always<fuse>},
    {"reduce_blocks", always<reduce_blocks>},
    {"measure_products",
     [](Trace& trace, const PlanOptions& options) {
       if (options.is_measured) measure_products(trace);
     }},
    {"batch_products", always<batch_products>},
    {"tile_rows", always<tile_rows>},
    {"lower_loops", always<lower_loops>},
    {"find_last_uses", always<find_last_uses>},
    {"fuse_on_devices",
     [](Trace& trace, const PlanOptions&) {
       if (fuse_on_devices(trace)) find_last_uses(trace);
     }},
    {"find_places", always<find_places>},
};

// Traces are checked while plans are verified, and in builds without optimization.
bool is_checking() {
#ifdef __OPTIMIZE__
  return is_verifying();
#else
  return true;
#endif
}

// Backends of libraries may give other bits.
void drop_reference_of_foreign_code(Trace& trace) {
  const auto is_foreign = [](const auto& step) { return step->is_foreign; };
  if (std::any_of(trace.steps.begin(), trace.steps.end(), is_foreign)) trace.reference = nullptr;
}

}  // namespace

void plan(Trace& trace, const PlanOptions& options) {
  const bool is_checked = is_checking();
  if (is_checked) check(trace, "trace");
  if (is_verifying()) trace.reference = reference_of(trace);
  if (trace.reference) drop_unused(*trace.reference, !options.is_backward);
  for (const Pass& pass : kPasses) {
    pass.run(trace, options);
    if (is_checked) check(trace, pass.name);
  }
  drop_reference_of_foreign_code(trace);
  trace.keeps_threads = std::any_of(trace.steps.begin(), trace.steps.end(),
                                    [&](const std::unique_ptr<Step>& step) { return step->has_short_shares(trace); });
  const auto first_change = std::find_if(trace.steps.begin(), trace.steps.end(),
                                         [&](const std::unique_ptr<Step>& step) { return has_effect(trace, *step); });
  trace.first_change = static_cast<size_t>(first_change - trace.steps.begin());
}

namespace {

TNP_COLD profiler::Ticket begin_profiled(const Trace& trace, const Step& step) {
  const std::vector<int>& views = step.writes.empty() ? step.reads : step.writes;
  const Device device = views.empty() || views[0] < 0 ? Device{} : trace.slot_of(views[0]).device;
  return profiler::begin_named(step.name(), profiler::Kind::Step, device);
}

bool run_plan(const Trace& trace, Frame& frame, size_t& at) {
  std::optional<KeptThreads> threads;
  if (trace.keeps_threads) threads.emplace();
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    at = i;
    const profiler::Operation profiled([&] { return begin_profiled(trace, *trace.steps[i]); });
    if (!trace.steps[i]->run(frame)) {
      const bool is_before_changes = i < trace.first_change;
      TNP_CHECK(is_before_changes, ErrorKind::Runtime, "a compiled function: ", text(*trace.steps[i]),
                " gave an array of another shape than at recording, after an earlier step had an effect outside the "
                "function");
      return false;
    }
    for (int slot : trace.done[i]) frame.release(slot);
  }
  return true;
}

}  // namespace

bool run(const Trace& trace, Frame& frame, size_t& at) {
  if (TNP_UNLIKELY(trace.reference)) return run_verified(trace, frame, [&] { return run_plan(trace, frame, at); });
  return run_plan(trace, frame, at);
}

}  // namespace tnp::compiler
