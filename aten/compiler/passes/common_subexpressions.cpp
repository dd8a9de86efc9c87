#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "aten/compiler/passes/passes.h"

namespace tnp::compiler {

namespace {

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

// The bytes of a constant number, or an empty text: numbers that are equal bit by bit are one slot.
std::string number_of(const Slot& slot) {
  const Tensor& t = slot.outside;
  if (!slot.is_constant || slot.is_written || slot.escapes || !t.device().is_cpu() || t.dim() != 0) return {};
  std::string key(t.address(), static_cast<size_t>(element_size(t.dtype())));
  key += static_cast<char>(t.dtype());
  key += static_cast<char>(t.is_wrapped_number());
  return key += static_cast<char>(t.impl()->is_value);
}

void merge_numbers(Trace& r) {
  std::unordered_map<std::string, int> first;
  std::vector<int> slots(r.slots.size());
  for (size_t s = 0; s < r.slots.size(); ++s) {
    const auto self = static_cast<int>(s);
    const std::string key = number_of(r.slots[s]);
    slots[s] = key.empty() ? self : first.try_emplace(key, self).first->second;
  }
  for (View& v : r.views) v.slot = slots[static_cast<size_t>(v.slot)];
}

// Calls name the first of equal views.
void name_first_views(Trace& r) {
  const std::vector<int> first = first_of_equal_views(r);
  const auto rename = [&](ViewNumber& v) {
    if (v.view >= 0) v.view = first[static_cast<size_t>(v.view)];
  };
  for (const auto& step : r.steps)
    for (Argument& a : step->call.arguments) {
      if (auto* one = std::get_if<ViewNumber>(&a.value)) rename(*one);
      if (auto* list = std::get_if<std::vector<ViewNumber>>(&a.value))
        std::for_each(list->begin(), list->end(), rename);
    }
}

}  // namespace

void drop_repeated(Trace& r) {
  merge_numbers(r);
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
  name_first_views(r);
}

}  // namespace tnp::compiler
