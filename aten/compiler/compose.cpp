#include "aten/compiler/compose.h"

#include <algorithm>
#include <utility>

#include "aten/compiler/views.h"

namespace tnp::compiler {

std::unique_ptr<Trace> copy(const Trace& trace) {
  auto made = std::make_unique<Trace>();
  made->slots = trace.slots;
  made->views = trace.views;
  made->num_arguments = trace.num_arguments;
  for (const auto& step : trace.steps) {
    made->steps.push_back(step->clone());
    if (!made->steps.back()) return nullptr;
  }
  return made;
}

namespace {

constexpr int kNone = -1;

// Adds `by` to the numbers of all views of a call without parts.
void renumber(Step& step, int by) {
  const auto move = [&](int& v) { v += v >= 0 ? by : 0; };
  for (auto* views : {&step.reads, &step.writes, &step.allocates}) std::for_each(views->begin(), views->end(), move);
  for (Argument& a : step.call.arguments) {
    if (auto* one = std::get_if<ViewNumber>(&a.value)) move(one->view);
    if (auto* list = std::get_if<std::vector<ViewNumber>>(&a.value))
      for (ViewNumber& v : *list) move(v.view);
  }
  step.results.renumber(by);
}

std::unique_ptr<Trace> copy_of_any(const Trace& trace) {
  std::unique_ptr<Trace> made = copy(trace);
  TNP_CHECK(made, ErrorKind::NotImplemented, "concatenation of traces with steps that cannot be copied");
  return made;
}

class Concatenation {
 public:
  Concatenation(const Trace& first, const Trace& second)
      : made_(copy_of_any(first)),
        second_(copy_of_any(second)),
        slots_of_arguments_(static_cast<size_t>(second.num_arguments), kNone),
        results_(second.slots.size(), kNone) {
    for (size_t s = 0; s < second.slots.size(); ++s)
      if (const int argument = second.slots[s].argument; argument >= 0)
        slots_of_arguments_[static_cast<size_t>(argument)] = static_cast<int>(s);
  }

  void connect(const Connection& c) {
    TNP_CHECK(c.result >= 0 && static_cast<size_t>(c.result) < made_->views.size(), ErrorKind::Value,
              "the first trace has ", made_->views.size(), " views, no result %", c.result);
    TNP_CHECK(c.argument >= 0 && c.argument < second_->num_arguments, ErrorKind::Value, "the second trace has ",
              second_->num_arguments, " array arguments, no argument ", c.argument);
    TNP_CHECK(std::find(slots_of_arguments_.begin(), slots_of_arguments_.end(), kNone) == slots_of_arguments_.end(),
              ErrorKind::NotImplemented, "concatenation with a trace whose arguments share memory");
    const int slot = slots_of_arguments_[static_cast<size_t>(c.argument)];
    // The first view is the argument itself.
    const auto expected =
        std::find_if(second_->views.begin(), second_->views.end(), [&](const View& v) { return v.slot == slot; });
    const View& given = view_of(*made_, c.result);
    TNP_CHECK(given.dtype == expected->dtype && given.sizes == expected->sizes && given.strides == expected->strides &&
                  given.is_value == expected->is_value && given.is_wrapped_number == expected->is_wrapped_number,
              ErrorKind::Value, "argument ", c.argument, " of the second trace is ", expected->dtype, " of shape ",
              expected->sizes, " and strides ", expected->strides, ", but result %", c.result, " of the first is ",
              given.dtype, " of shape ", given.sizes, " and strides ", given.strides);
    int& result = results_[static_cast<size_t>(slot)];
    TNP_CHECK(result == kNone, ErrorKind::Value, "argument ", c.argument, " of the second trace has two connections");
    result = c.result;
  }

  std::unique_ptr<Trace> run() {
    check_changes();
    add_slots();
    add_views();
    const auto num_views = static_cast<int>(num_views_);
    for (std::unique_ptr<Step>& step : second_->steps) {
      renumber(*step, num_views);
      made_->steps.push_back(std::move(step));
    }
    check_guards();
    return std::move(made_);
  }

 private:
  // Arguments that `second` changes were apart from all others when it was traced.
  void check_changes() const {
    for (size_t s = 0; s < results_.size(); ++s) {
      if (results_[s] == kNone || !second_->slots[s].is_written) continue;
      TNP_CHECK(!made_->slot_of(results_[s]).is_constant, ErrorKind::NotImplemented,
                "concatenation with a trace that changes a constant result of the first");
      for (size_t t = 0; t < results_.size(); ++t)
        TNP_CHECK(t == s || results_[t] == kNone || slot_of(*made_, results_[t]) != slot_of(*made_, results_[s]),
                  ErrorKind::NotImplemented, "concatenation with a trace that changes an argument, but gets results ",
                  "that share memory");
    }
  }

  void add_slots() {
    num_slots_ = made_->slots.size();
    for (size_t s = 0; s < results_.size(); ++s) {
      Slot slot = second_->slots[s];
      slot.argument = kNone;
      if (results_[s] != kNone) {
        Slot& to = made_->slots[static_cast<size_t>(slot_of(*made_, results_[s]))];
        to.is_written = to.is_written || slot.is_written;
        to.escapes = false;
        slot.is_written = false;  // no view is left in it
      }
      made_->slots.push_back(slot);
    }
    for (size_t s = 0; s < results_.size(); ++s)  // after all of them, as several connections may share a slot
      if (results_[s] != kNone && second_->slots[s].escapes) {
        made_->slots[static_cast<size_t>(slot_of(*made_, results_[s]))].escapes = true;
        made_->slots[num_slots_ + s].escapes = false;
      }
    for (const int slot : slots_of_arguments_) {
      if (slot != kNone && results_[static_cast<size_t>(slot)] != kNone) continue;
      if (slot != kNone) made_->slots[num_slots_ + static_cast<size_t>(slot)].argument = made_->num_arguments;
      ++made_->num_arguments;
    }
  }

  void add_views() {
    num_views_ = made_->views.size();
    for (View v : second_->views) {
      const int result = results_[static_cast<size_t>(v.slot)];
      v.slot += static_cast<int>(num_slots_);
      if (result != kNone) {
        v.slot = slot_of(*made_, result);
        v.offset += view_of(*made_, result).offset;
      }
      made_->views.push_back(std::move(v));
    }
  }

  void check_guards() const {
    bool has_effects = false;
    for (const auto& step : made_->steps) {
      TNP_CHECK(!step->looks || !has_effects, ErrorKind::NotImplemented,
                "concatenation with a trace that has guards, after a trace with effects");
      has_effects = has_effects || has_effect(*made_, *step);
    }
  }

  std::unique_ptr<Trace> made_, second_;
  std::vector<int> slots_of_arguments_;   // of `second`
  std::vector<int> results_;              // per slot of `second`: the connected view; kNone: none
  size_t num_slots_ = 0, num_views_ = 0;  // of `first`
};

}  // namespace

std::unique_ptr<Trace> concatenate(const Trace& first, const Trace& second,
                                   const std::vector<Connection>& connections) {
  Concatenation both(first, second);
  for (const Connection& c : connections) both.connect(c);
  return both.run();
}

}  // namespace tnp::compiler
