#include "aten/compiler/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "aten/compiler/device_fusion.h"
#include "aten/compiler/foreign_code.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/fuse.h"
#include "aten/compiler/print.h"
#include "aten/compiler/product_steps.h"
#include "aten/compiler/reduced_block.h"
#include "aten/compiler/row_tiles.h"
#include "aten/compiler/steps.h"
#include "aten/compiler/subgraph.h"
#include "aten/compiler/verify.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/threads/kept_threads.h"

namespace tnp::compiler {

namespace {

int slot_of(const Trace& r, int view) { return r.views[static_cast<size_t>(view)].slot; }

// The slots that a step makes: it is the first step to write them.
std::vector<int> made_slots(const Trace& r, const Step& step) {
  std::vector<int> made;
  for (int v : step.writes) {
    const int slot = slot_of(r, v);
    const auto is_slot = [&](int w) { return slot_of(r, w) == slot; };
    if (r.slots[static_cast<size_t>(slot)].origin == Origin::Step &&
        std::none_of(step.reads.begin(), step.reads.end(), is_slot))
      made.push_back(slot);
  }
  return made;
}

// The key of common-subexpression elimination: steps of equal keys have equal results.
struct Computation {
  const Trace* trace;
  const Step* step;
  std::vector<int> epochs;  // of the slots that it reads: their numbers of writes before it

  bool operator==(const Computation& other) const {
    return epochs == other.epochs && is_equal(step->call, other.step->call, *trace) &&
           std::equal(step->writes.begin(), step->writes.end(), other.step->writes.begin(), other.step->writes.end(),
                      [&](int v, int w) { return dtype(v) == dtype(w); });
  }
  struct Hash {
    size_t operator()(const Computation& c) const { return hash_of(c.step->call, *c.trace); }
  };

 private:
  ScalarType dtype(int view) const { return trace->views[static_cast<size_t>(view)].dtype; }
};

// Common-subexpression elimination: keeps the first of several equal steps, if their results are
// indistinguishable to the caller.
void drop_repeated(Trace& r) {
  std::vector<int> epochs(r.slots.size());  // number of writes to each slot
  std::unordered_set<Computation, Computation::Hash> known;
  std::vector<std::unique_ptr<Step>> kept;
  for (std::unique_ptr<Step>& step : r.steps) {
    const std::vector<int> made = made_slots(r, *step);
    const bool is_pure = step->call.op && !step->draws && !step->looks && made.size() == step->writes.size() &&
                         std::all_of(made.begin(), made.end(), [&](int s) {
                           const Slot& slot = r.slots[static_cast<size_t>(s)];
                           return !slot.is_written && !slot.escapes;
                         });
    if (is_pure) {
      Computation computation{&r, step.get(), {}};
      for (int v : step->reads) computation.epochs.push_back(epochs[static_cast<size_t>(slot_of(r, v))]);
      const auto [found, is_new] = known.insert(std::move(computation));
      if (!is_new) {
        const Step& other = *found->step;
        for (size_t i = 0; i < step->writes.size(); ++i) {
          const int slot = slot_of(r, step->writes[i]), to = slot_of(r, other.writes[i]);
          for (View& v : r.views)
            if (v.slot == slot) v.slot = to;
        }
        continue;
      }
    }
    for (int v : step->writes) ++epochs[static_cast<size_t>(slot_of(r, v))];
    kept.push_back(std::move(step));
  }
  r.steps = std::move(kept);
}

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

// Elides a copy if its source is not read afterwards: the source becomes the result. Gradients are
// copied while tracing, since the tracer's reference keeps autograd from taking over their
// memory.
void drop_copies(Trace& r) {
  std::vector<size_t> last_use(r.slots.size());
  for (size_t i = 0; i < r.steps.size(); ++i)
    for (const std::vector<int>* views : {&r.steps[i]->reads, &r.steps[i]->writes})
      for (int v : *views) last_use[static_cast<size_t>(slot_of(r, v))] = i;
  for (size_t i = 0; i + 1 < r.steps.size(); ++i) {
    const auto* empty = dynamic_cast<const EmptyStep*>(r.steps[i].get());
    const auto* copy = dynamic_cast<const CopyStep*>(r.steps[i + 1].get());
    if (!empty || !copy || copy->reads.size() != 2) continue;
    // A step's reads may be in any order.
    const size_t target = slot_of(r, copy->reads[0]) == slot_of(r, empty->view) ? 0 : 1;
    if (slot_of(r, copy->reads[target]) != slot_of(r, empty->view)) continue;
    const View to = r.views[static_cast<size_t>(copy->reads[target])],
               from = r.views[static_cast<size_t>(copy->reads[1 - target])];
    Slot &copied = r.slots[static_cast<size_t>(to.slot)], &source = r.slots[static_cast<size_t>(from.slot)];
    const bool is_same = to.dtype == from.dtype && to.sizes == from.sizes && to.strides == from.strides &&
                         to.is_contiguous && from.is_contiguous && to.offset == 0 && from.offset == 0 &&
                         copied.device == source.device;
    const auto whole = std::find_if(r.views.begin(), r.views.end(), [&](const View& v) { return v.slot == from.slot; });
    if (!is_same || source.origin != Origin::Step || source.escapes || whole->numel != from.numel ||
        last_use[static_cast<size_t>(from.slot)] != i + 1)
      continue;
    source.escapes = copied.escapes;
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

// Backends of libraries may give other bits.
void drop_reference_of_foreign_code(Trace& trace) {
  const auto is_foreign = [](const auto& step) { return dynamic_cast<const ForeignCode*>(step.get()) != nullptr; };
  if (std::any_of(trace.steps.begin(), trace.steps.end(), is_foreign)) trace.reference = nullptr;
}

// Replaces calls by steps that are planned from geometry alone.
void lower(Trace& trace) {
  for (std::unique_ptr<Step>& step : trace.steps) {
    step = product_step(trace, std::move(step));
    step = reduction_step(trace, std::move(step));
  }
}

void find_last_uses(Trace& r) {
  r.done.assign(r.steps.size(), {});
  std::vector<bool> seen(r.slots.size());
  for (size_t i = r.steps.size(); i-- > 0;) {
    const auto use = [&](int v) {
      const auto slot = static_cast<size_t>(slot_of(r, v));
      if (seen[slot] || r.slots[slot].origin != Origin::Step || r.slots[slot].escapes) return;
      seen[slot] = true;
      r.done[i].push_back(static_cast<int>(slot));
    };
    for (int v : r.steps[i]->reads) use(v);
    for (int v : r.steps[i]->writes) use(v);
  }
  r.views_of_slots.assign(r.slots.size(), {});
  for (size_t v = 0; v < r.views.size(); ++v)
    r.views_of_slots[static_cast<size_t>(r.views[v].slot)].push_back(static_cast<int>(v));
}

// Places small results in the replay's arena, if the steps that make them accept an output buffer.
// Free memory in the arena is reused.
void find_places(Trace& r) {
  constexpr int64_t kAligned = 64, kLargestOfArena = 256 * 1024;
  std::map<int64_t, int64_t> free;  // begin to end
  std::vector<int64_t> sizes(r.slots.size());
  int64_t top = 0;
  const auto take = [&](int64_t bytes) {
    const auto fits =
        std::find_if(free.begin(), free.end(), [&](const auto& f) { return f.second - f.first >= bytes; });
    if (fits == free.end()) return std::exchange(top, top + bytes);
    const auto [begin, end] = *fits;
    free.erase(fits);
    if (begin + bytes < end) free.emplace(begin + bytes, end);
    return begin;
  };
  const auto give = [&](int64_t begin, int64_t bytes) {
    auto at = free.emplace(begin, begin + bytes).first;
    if (const auto next = std::next(at); next != free.end() && next->first == at->second) {
      at->second = next->second;
      free.erase(next);
    }
    if (at == free.begin()) return;
    if (const auto before = std::prev(at); before->second == at->first) {
      before->second = at->second;
      free.erase(at);
    }
  };
  std::vector<bool> may_be_kept(r.slots.size());
  for (const auto& step : r.steps)
    if (dynamic_cast<const ForeignCode*>(step.get()))
      for (int v : step->reads) may_be_kept[static_cast<size_t>(slot_of(r, v))] = true;
  for (size_t i = 0; i < r.steps.size(); ++i) {
    const auto* step = dynamic_cast<const AllocatingStep*>(r.steps[i].get());
    for (const int view : step ? step->allocates : std::vector<int>()) {
      const View& v = r.views[static_cast<size_t>(view)];
      const auto s = static_cast<size_t>(v.slot);
      const int64_t bytes = v.numel * element_size(v.dtype);
      if (r.slots[s].escapes || may_be_kept[s] || bytes > kLargestOfArena) continue;
      sizes[s] = (bytes + kAligned - 1) / kAligned * kAligned;
      r.slots[s].place = take(sizes[s]);
    }
    for (int slot : r.done[i]) {
      const auto s = static_cast<size_t>(slot);
      if (r.slots[s].place >= 0) give(r.slots[s].place, sizes[s]);
    }
    std::erase_if(r.done[i], [&](int slot) { return r.slots[static_cast<size_t>(slot)].place >= 0; });
  }
  r.arena_bytes = static_cast<size_t>(top);
}

}  // namespace

void plan(Trace& trace, const PlanOptions& options) {
  if (is_verifying()) trace.reference = reference_of(trace);
  if (trace.reference) drop_unused(*trace.reference);  // a plan reports no errors of dead code, either
  drop_repeated(trace);
  drop_unused(trace);
  drop_copies(trace);
  if (options.backend) replace_subgraphs(trace, *options.backend);
  drop_reference_of_foreign_code(trace);
  lower(trace);
  fuse(trace);
  reduce_blocks(trace);
  if (options.is_measured) measure_products(trace);
  batch_products(trace);
  tile_rows(trace);
  find_last_uses(trace);
  if (fuse_on_devices(trace)) find_last_uses(trace);
  find_places(trace);
  const auto changes = [&](const std::unique_ptr<Step>& step) {
    return step->draws || std::any_of(step->writes.begin(), step->writes.end(), [&](int v) {
             return trace.slots[static_cast<size_t>(slot_of(trace, v))].origin != Origin::Step;
           });
  };
  trace.keeps_threads = std::any_of(trace.steps.begin(), trace.steps.end(),
                                    [&](const std::unique_ptr<Step>& step) { return step->has_short_shares(trace); });
  trace.first_change =
      static_cast<size_t>(std::find_if(trace.steps.begin(), trace.steps.end(), changes) - trace.steps.begin());
}

namespace {

TNP_COLD profiler::Ticket begin_profiled(const Trace& trace, const Step& step) {
  const std::vector<int>& views = step.writes.empty() ? step.reads : step.writes;
  const Device device = views.empty() || views[0] < 0 ? Device{} : trace.slot_of(views[0]).device;
  return profiler::begin_named(step.name(), profiler::Kind::Step, device);
}

}  // namespace

namespace {

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
