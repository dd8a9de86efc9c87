#include "aten/compiler/passes/check.h"

#include <algorithm>
#include <string>

#include "aten/compiler/print.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

namespace {

class Checker {
 public:
  Checker(const Trace& trace, const char* pass) : r_(trace), pass_(pass), first_(trace.slots.size(), kNone) {}

  void run() {
    check_slots();
    check_views();
    check_steps();
    if (!r_.done.empty()) check_last_uses();
    check_places();
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  template <class... Parts>
  void require(bool holds, const Step* step, const Parts&... invariant) const {
    if (TNP_LIKELY(holds)) return;
    TNP_RAISE(ErrorKind::Internal, "torch_np is at fault, not your call: after the pass ", pass_,
              step ? ", step " + text(*step) : std::string(), ": ", invariant...);
  }
  bool exists(int view) const { return view >= 0 && static_cast<size_t>(view) < r_.views.size(); }
  const Slot& slot(int view) const { return r_.slot_of(view); }
  bool has(const std::vector<int>& views, int view) const { return has_slot(r_, views, slot_of(r_, view)); }
  bool has_equal(const std::vector<int>& views, int view) const {
    return std::any_of(views.begin(), views.end(), [&](int v) { return view_of(r_, v) == view_of(r_, view); });
  }

  void check_slots() const {
    for (size_t s = 0; s < r_.slots.size(); ++s) {
      const Slot& slot = r_.slots[s];
      require(slot.argument < r_.num_arguments && (slot.argument < 0 || slot.origin == Origin::Argument), nullptr,
              "slot ", s, " has the number ", slot.argument, " among ", r_.num_arguments, " arguments");
      require(slot.origin != Origin::Outside || slot.outside.defined(), nullptr, "slot ", s, " has no array");
      require(!slot.is_constant || slot.origin == Origin::Outside, nullptr, "slot ", s, " is constant, but not kept");
    }
  }

  void check_views() const {
    for (size_t v = 0; v < r_.views.size(); ++v) {
      const View& view = r_.views[v];
      require(view.slot >= 0 && static_cast<size_t>(view.slot) < r_.slots.size(), nullptr, "%", v, " is in slot ",
              view.slot, " of ", r_.slots.size());
      require(view.sizes.size() == view.strides.size() && view.numel == numel_of(view.sizes), nullptr, "%", v,
              " has sizes ", view.sizes, ", strides ", view.strides, " and ", view.numel, " elements");
    }
  }

  void check_steps() {
    std::vector<bool> is_made(r_.slots.size());
    for (size_t s = 0; s < is_made.size(); ++s) is_made[s] = r_.slots[s].origin != Origin::Step;
    bool has_effects = false;
    for (size_t i = 0; i < r_.steps.size(); ++i) {
      require(r_.steps[i] != nullptr, nullptr, "step ", i, " is missing");
      const Step& step = *r_.steps[i];
      check_step(step);
      for (int v : step.reads)
        require(is_made[static_cast<size_t>(slot_of(r_, v))], &step, "reads %", v,
                ", which no earlier step has written");
      check_computation(step);
      require(!step.looks || !has_effects, &step, "a guard follows an effect outside of the trace");
      for (int v : step.writes) is_made[static_cast<size_t>(slot_of(r_, v))] = true;
      has_effects = has_effects || has_effect(r_, step);
      for_each_view(step, [&](int v) {
        size_t& first = first_[static_cast<size_t>(slot_of(r_, v))];
        if (first == kNone) first = i;
      });
    }
    for (size_t s = 0; s < is_made.size(); ++s)
      require(is_made[s] || !r_.slots[s].escapes, nullptr, "no step writes slot ", s, ", which the caller receives");
  }

  void check_step(const Step& step) const {
    require(step.call.op || !step.parts.empty(), &step, "has no call and no parts");
    for (const auto* views : {&step.reads, &step.writes, &step.allocates})
      for (int v : *views) require(exists(v), &step, "uses %", v, " of ", r_.views.size(), " views");
    for (int v : step.allocates) {
      require(std::find(step.writes.begin(), step.writes.end(), v) != step.writes.end(), &step, "allocates %", v,
              ", which is not one of its results");
      require(slot(v).origin == Origin::Step && slot(v).device.is_cpu(), &step, "allocates %", v,
              ", whose memory a frame does not provide");
    }
  }

  void check_computation(const Step& step) const {
    if (step.call.op) return check_call(step);
    std::vector<int> written;  // by earlier parts
    for (const auto& part : step.parts) {
      require(part != nullptr, nullptr, "a part of ", step.name(), " is missing");
      check_step(*part);
      for (int v : part->reads)  // a part may also write memory that a step, now fused, allocated
        require(slot(v).is_constant || has(step.reads, v) || has(written, v) || has(part->writes, v), &step,
                "does not read %", v, ", which its part ", text(*part), " reads");
      for (int v : part->writes)
        require(slot(v).origin == Origin::Step || has(step.writes, v), &step, "does not write %", v,
                ", which its part ", text(*part), " writes");
      require((!part->looks || step.looks) && (!part->draws || step.draws), &step, "its part ", text(*part),
              " is a guard or draws random numbers, but the step does not");
      check_computation(*part);
      written.insert(written.end(), part->writes.begin(), part->writes.end());
    }
    for (int v : step.writes) require(has(written, v), &step, "writes %", v, ", which none of its parts writes");
  }

  void check_call(const Step& step) const {
    const auto check_operand = [&](ViewNumber v) {
      require(v.view == -1 || exists(v.view), &step, "has the operand %", v.view, " of ", r_.views.size(), " views");
      require(v.view == -1 || has_equal(step.reads, v.view), &step, "does not read its operand %", v.view);
    };
    for (const Argument& a : step.call.arguments) {
      if (const auto* one = std::get_if<ViewNumber>(&a.value)) check_operand(*one);
      if (const auto* list = std::get_if<std::vector<ViewNumber>>(&a.value))
        std::for_each(list->begin(), list->end(), check_operand);
    }
    for (int v : step.results.views()) {
      require(v == -1 || exists(v), &step, "has the result %", v, " of ", r_.views.size(), " views");
      require(v == -1 || has(step.writes, v) || has(step.reads, v) || slot(v).origin != Origin::Step, &step,
              "does not write its result %", v);
    }
  }

  // --- of planned traces

  void check_last_uses() {
    require(r_.done.size() == r_.steps.size(), nullptr, "has last uses of ", r_.done.size(), " steps, not ",
            r_.steps.size());
    last_.assign(r_.slots.size(), kNone);
    for (size_t i = 0; i < r_.steps.size(); ++i)
      for_each_view(*r_.steps[i], [&](int v) { last_[static_cast<size_t>(slot_of(r_, v))] = i; });
    std::vector<bool> is_done(r_.slots.size());
    for (size_t i = 0; i < r_.steps.size(); ++i)
      for (int s : r_.done[i]) {
        const Step& step = *r_.steps[i];
        require(s >= 0 && static_cast<size_t>(s) < r_.slots.size(), &step, "releases slot ", s, " of ",
                r_.slots.size());
        const auto k = static_cast<size_t>(s);
        require(last_[k] <= i, &step, "releases slot ", s, ", which a later step uses");
        require(r_.slots[k].origin == Origin::Step && !r_.slots[k].escapes, &step, "releases slot ", s,
                ", which outlives the replay");
        require(r_.slots[k].place < 0, &step, "releases slot ", s, ", which is in the arena");
        require(!is_done[k], &step, "releases slot ", s, " again");
        is_done[k] = true;
      }
    require(r_.views_of_slots.size() == r_.slots.size(), nullptr, "has views of ", r_.views_of_slots.size(),
            " slots, not ", r_.slots.size());
    for (size_t v = 0; v < r_.views.size(); ++v) {
      const std::vector<int>& of_slot = r_.views_of_slots[static_cast<size_t>(r_.views[v].slot)];
      require(std::count(of_slot.begin(), of_slot.end(), static_cast<int>(v)) == 1, nullptr,
              "a release of its slot does not reset %", v);
    }
  }

  void check_places() const {
    struct Place {
      size_t slot;
      int64_t begin, end;
    };
    std::vector<Place> places;
    std::vector<int64_t> bytes(r_.slots.size());
    for (const View& v : r_.views)
      bytes[static_cast<size_t>(v.slot)] = std::max(bytes[static_cast<size_t>(v.slot)], v.offset + extent(v).second);
    for (size_t s = 0; s < r_.slots.size(); ++s) {
      const Slot& slot = r_.slots[s];
      if (slot.place < 0) continue;
      require(slot.origin == Origin::Step && !slot.escapes, nullptr, "slot ", s, " outlives the arena");
      require(slot.place + bytes[s] <= static_cast<int64_t>(r_.arena_bytes), nullptr, "slot ", s, " ends at byte ",
              slot.place + bytes[s], " of an arena of ", r_.arena_bytes);
      require(!last_.empty(), nullptr, "slot ", s, " has a place, but no last use");
      if (first_[s] != kNone) places.push_back({s, slot.place, slot.place + bytes[s]});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t j = i + 1; j < places.size() && places[j].begin < places[i].end; ++j) {
        const size_t a = places[i].slot, b = places[j].slot;
        require(last_[a] < first_[b] || last_[b] < first_[a], nullptr, "slots ", a, " and ", b,
                " overlap in the arena while both are in use");
      }
  }

  const Trace& r_;
  const char* const pass_;
  std::vector<size_t> first_, last_;  // per slot: the steps of its first and last use; kNone: unused
};

}  // namespace

void check(const Trace& trace, const char* pass) { Checker(trace, pass).run(); }

}  // namespace tnp::compiler
