// Rewriting: replaces calls by cheaper ones that give the same bits. The rules are a table of
// patterns over calls of pointwise operators.
//
// Note [Rewrite rules] A rule `pattern -> replacement` is an identity of elements: for every value of
// its variables' dtypes, both sides have the same bits (also of NaNs) and report the same
// floating-point errors. The rewriter checks everything else: that no step changes the operands
// between the calls of the pattern, that the replacement has the dtype, shape and strides of the
// pattern, and that no call has options such as `out=`. A rule whose replacement is a variable only
// applies if the result does not escape, since the caller must get an array of its own.
//
// Some identities that are no rules: square(-x) -> square(x) changes the sign of NaNs;
// not(x < y) -> x >= y fails for floats because of NaN; not(not(x)) -> x fails for bools that are
// views of other bytes than 0 and 1; x * 1 -> x and x + 0 -> x quiet signalling NaNs, and the latter
// changes -0.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "aten/compiler/passes/passes.h"
#include "aten/compiler/steps.h"
#include "aten/core/observer.h"
#include "aten/core/threads/thread_state.h"
#include "aten/dispatch/pointwise.h"
#include "aten/operator_tables/arithmetic.h"
#include "aten/operator_tables/bitwise.h"
#include "aten/operator_tables/comparison.h"
#include "aten/operator_tables/floating_point.h"

namespace tnp::compiler {

namespace {

// A variable, or a call whose operands are terms.
struct Term {
  const PointwiseOp* op = nullptr;  // null: a variable
  int variable = 0;
  std::vector<Term> operands = {};
};

struct Rule {
  Term pattern, replacement;
  bool (*holds_for)(ScalarType);  // dtypes of all variables
};

bool is_real_number(ScalarType t) { return is_floating(t) || is_integer(t); }
// 16-bit floats are computed as float32. The casts quiet signalling NaNs, so two negations are no
// identity, and report them in abs(), but not in neg().
bool is_wide_number(ScalarType t) { return !is_bool(t) && !is_reduced_float(t); }
bool is_wide_signed_real(ScalarType t) { return is_signed_integer(t) || (is_floating(t) && !is_reduced_float(t)); }
bool is_any(ScalarType) { return true; }

Term call(const PointwiseOp& op, std::vector<Term> operands) { return {&op, 0, std::move(operands)}; }

std::vector<Rule> make_rules() {
  using namespace pointwise_ops;
  const Term x{.variable = 0}, y{.variable = 1};
  std::vector<Rule> rules = {
      // Flipping the sign bit twice; integers wrap around, so that -(-min) is min.
      {call(neg, {call(neg, {x})}), x, is_wide_number},
      {call(bitwise_not, {call(bitwise_not, {x})}), x, is_integer},
      // abs() clears the sign bit that neg() flips. For integers |-min| = |min| = min.
      {call(abs, {call(neg, {x})}), call(abs, {x}), is_wide_signed_real},
  };
  // Idempotent operators. Their results are fixed points: non-negative numbers (or the smallest
  // integer), whole numbers, NaNs that are quiet.
  for (const PointwiseOp* op : {&abs, &floor, &ceil, &trunc})
    rules.push_back({call(*op, {call(*op, {x})}), call(*op, {x}), is_real_number});
  // Negated comparisons. NaN is unordered, but it is unequal to everything.
  struct Opposite {
    const PointwiseOp &op, &opposite;
    bool (*holds_for)(ScalarType);
  };
  for (const auto& [op, opposite, holds_for] :
       {Opposite{eq, ne, is_any}, Opposite{ne, eq, is_any}, Opposite{lt, ge, is_integral},
        Opposite{ge, lt, is_integral}, Opposite{gt, le, is_integral}, Opposite{le, gt, is_integral}})
    for (const PointwiseOp* no : {&logical_not, &bitwise_not})
      rules.push_back({call(*no, {call(op, {x, y})}), call(opposite, {x, y}), holds_for});
  return rules;
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule>& all = *new std::vector<Rule>(make_rules());
  return all;
}

class Rewriter {
 public:
  explicit Rewriter(Trace& trace) : r_(trace) {}

  void run() {
    for (size_t i = 0; i < r_.steps.size(); ++i)
      for (const Rule& rule : rules())
        if (r_.steps[i] && r_.steps[i]->call.pointwise == rule.pattern.op) apply(rule, i);
    std::erase(r_.steps, nullptr);
  }

 private:
  using Variables = std::array<int, 2>;  // their views; -1: not bound

  void apply(const Rule& rule, size_t i) {
    if (makers_.empty()) find_makers();
    const Step& root = *r_.steps[i];
    if (!is_plain(root) || view_of(r_, root.writes[0]).sizes.empty()) return;
    Variables variables = {-1, -1};
    if (!matches_call(rule.pattern, root, root.call.dialect, variables)) return;
    for (int v : variables)
      if (v >= 0 && (!rule.holds_for(view_of(r_, v).dtype) || !is_fixed(v))) return;
    if (rule.replacement.op) {
      if (!is_used_once(root.call.view(0))) return;  // it stays, so that nothing is saved
      std::unique_ptr<Step> step = replacement(rule.replacement, root, variables);
      if (!step) return;
      makers_[static_cast<size_t>(slot_of(r_, root.writes[0]))] = step.get();
      r_.steps[i] = std::move(step);
    } else if (may_become(root.writes[0], variables[0])) {
      become(root.writes[0], variables[0]);
      r_.steps[i] = nullptr;
    }
  }

  // The steps that make slots which no other step changes.
  void find_makers() {
    uses_ = uses_of_slots(r_);
    makers_.resize(r_.slots.size());
    is_kept_.resize(r_.slots.size());
    for (const auto& step : r_.steps) {
      for (int v : step->writes)
        makers_[static_cast<size_t>(slot_of(r_, v))] = r_.slot_of(v).is_written ? nullptr : step.get();
      changes_outside_ = changes_outside_ || changes_outside(r_, *step);
      if (step->is_foreign)
        for (int v : step->reads) is_kept_[static_cast<size_t>(slot_of(r_, v))] = true;
    }
  }

  // A call on the CPU, without options, that makes one result.
  bool is_plain(const Step& step) const {
    const Call& c = step.call;
    return c.pointwise && step.writes.size() == 1 && step.results.views() == step.writes &&
           r_.slot_of(step.writes[0]).device.is_cpu() &&
           std::all_of(c.arguments.begin(), c.arguments.end(),
                       [](const Argument& a) { return !a.keyword || is_none(a.value); });
  }

  bool matches_call(const Term& term, const Step& step, Dialect dialect, Variables& variables) const {
    if (step.call.pointwise != term.op || step.call.dialect != dialect || !is_plain(step)) return false;
    for (size_t i = 0; i < term.operands.size(); ++i)
      if (!matches(term.operands[i], step.call.view(i), dialect, variables)) return false;
    return true;
  }
  bool matches(const Term& term, int view, Dialect dialect, Variables& variables) const {
    if (view < 0) return false;
    if (term.op) {
      const Step* const maker = makers_[static_cast<size_t>(slot_of(r_, view))];
      return maker && is_plain(*maker) && view_of(r_, maker->writes[0]) == view_of(r_, view) &&
             matches_call(term, *maker, dialect, variables);
    }
    int& variable = variables[static_cast<size_t>(term.variable)];
    if (variable < 0) variable = view;
    return view_of(r_, variable) == view_of(r_, view);
  }

  bool is_used_once(int view) const {
    constexpr int kWrittenAndRead = 2;
    return uses_[static_cast<size_t>(slot_of(r_, view))] == kWrittenAndRead && !r_.slot_of(view).escapes;
  }
  // Whether no step changes the view's memory. Arrays from outside may alias each other.
  bool is_fixed(int view) const {
    const Slot& slot = r_.slot_of(view);
    return !slot.is_written && !(slot.is_from_outside() && changes_outside_) && slot.device.is_cpu();
  }

  // The call that replaces `root`; null if its result differs in shape, dtype or strides.
  std::unique_ptr<Step> replacement(const Term& term, const Step& root, const Variables& variables) const {
    Call c(*term.op, root.call.dialect);
    std::vector<int> reads;
    for (const Term& operand : term.operands) {
      reads.push_back(variables[static_cast<size_t>(operand.variable)]);
      c.arguments.push_back({ViewNumber{reads.back()}});
    }
    c.arguments.insert(c.arguments.end(), root.call.arguments.begin() + root.call.pointwise->nin,
                       root.call.arguments.end());
    auto step = std::make_unique<CallStep>(std::move(c), pointwise_function());
    step->reads = std::move(reads);
    step->writes = root.writes;
    step->results = root.results;
    return has_result(*step, view_of(r_, root.writes[0])) ? std::move(step) : nullptr;
  }
  bool has_result(const Step& step, const View& v) const {
    const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
    const NoGradGuard no_grad;
    const DialectGuard guard(step.call.dialect);
    std::vector<Tensor> in;
    for (int view : step.reads) in.push_back(operand(r_, view));
    Tensor result;
    try {
      tnp::pointwise(*step.call.pointwise, in, {}, &result);
    } catch (const Error&) {
      return false;
    }
    return result.dtype() == v.dtype && result.sizes() == IntList(v.sizes) && result.strides() == IntList(v.strides);
  }

  // Whether all steps that use `result` may use `other` instead.
  bool may_become(int result, int other) const {
    const View &from = view_of(r_, result), &to = view_of(r_, other);
    const Slot& slot = r_.slot_of(result);
    return makers_[static_cast<size_t>(from.slot)] && !slot.escapes && !is_kept_[static_cast<size_t>(from.slot)] &&
           from.dtype == to.dtype && from.sizes == to.sizes && from.strides == to.strides;
  }
  void become(int result, int other) {
    const View from = view_of(r_, result), to = view_of(r_, other);
    for (View& v : r_.views) {
      if (v.slot != from.slot) continue;
      v.slot = to.slot;
      v.offset += to.offset - from.offset;
    }
  }

  Trace& r_;
  std::vector<const Step*> makers_;  // per slot; null: none, or other steps change it
  std::vector<int> uses_;            // per slot
  std::vector<bool> is_kept_;        // per slot: code outside of the engine may keep the array
  bool changes_outside_ = false;
};

}  // namespace

void rewrite(Trace& trace) { Rewriter(trace).run(); }

}  // namespace tnp::compiler
