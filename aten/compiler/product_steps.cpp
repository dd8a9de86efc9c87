#include "aten/compiler/product_steps.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "aten/compiler/elementwise.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/kernel_steps.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/cpu/linalg/matmul_one.h"
#include "aten/kernels/planned_product.h"
#include "aten/kernels/product_choice.h"

namespace tnp::compiler {

namespace {

constexpr size_t kFarthest = 16;  // most steps by which a product is moved forward to join a batch

class ProductStep final : public KernelStep {
 public:
  ProductStep(Step& replaced, int result, int input, int other, const Trace& trace)
      : KernelStep(replaced, result),
        input_(input),
        other_(other),
        planned_(native::PlannedProduct::of(without_data(trace, input), without_data(trace, other))) {}

  bool run(Frame& frame) const override {
    const DialectGuard guard(dialect());
    if (!choice_ && !planned_) {
      frame.allocate(result());
      native::matmul_cpu(frame.tensor(input_), frame.tensor(other_), frame.tensor(result()));
      return true;
    }
    FloatingPointWatch watch("matmul");
    const char *input = frame.data(input_), *other = frame.data(other_);
    char* out = frame.allocate(result());
    const bool is_known =
        choice_ ? (choice_->run(input, other, out), true) : planned_->run(input, other, out, has_error_watch());
    if (TNP_UNLIKELY(watch.end() || !is_known)) report_errors(frame);
    return true;
  }
  bool has_short_shares(const Trace&) const override {
    constexpr int64_t kMost = 1 << 24;  // multiplications: about a millisecond
    if (choice_) return choice_->is_shared();
    return planned_ && planned_->is_shared() && planned_->work() <= kMost;
  }

  void measure(const Trace& trace) {
    // x @ x.T computes half of the result, which the random operands of the measurement would not
    // show.
    if (slot_of(trace, input_) == slot_of(trace, other_)) return;
    choice_ = native::ProductChoice::fastest(without_data(trace, input_), without_data(trace, other_));
  }
  // Computes it on the calling thread; requires is_share().
  void multiply_alone(const char* input, const char* other, char* out) const {
    choice_ ? choice_->run(input, other, out) : planned_->run_alone(input, other, out);
  }
  // A floating-point flag was raised, or the flags are unknown: reports the errors that matmul()
  // would report.
  void report_errors(Frame& frame) const {
    const FloatingPointErrors errors =
        native::errors_of_product(frame.tensor(input_), frame.tensor(other_), frame.tensor(result()));
    take_floating_point_flags();
    if (errors) report_floating_point_errors("matmul", errors);
  }
  // Whether one thread may compute it while other threads compute other products.
  bool is_share(const Trace& trace) const {
    return planned_ && !(choice_ && choice_->is_shared()) &&
           planned_->is_share(without_data(trace, input_), without_data(trace, other_));
  }
  int input() const { return input_; }
  int other() const { return other_; }

 private:
  static Tensor without_data(const Trace& trace, int view) { return without_elements(view_of(trace, view)); }

  const int input_, other_;
  const std::optional<native::PlannedProduct> planned_;
  std::optional<native::ProductChoice> choice_;
};

class ProductBatch final : public Step {
 public:
  void add(std::unique_ptr<ProductStep> product) {
    reads.insert(reads.end(), product->reads.begin(), product->reads.end());
    writes.push_back(product->result());
    allocates.push_back(product->result());
    products_.push_back(product.get());
    parts.push_back(std::move(product));
  }
  bool run(Frame& frame) const override {
    const DialectGuard guard(products_[0]->dialect());
    struct Place {
      const char *input, *other;
      char* out;
    } places[kFarthest + 1];
    for (size_t i = 0; i < products_.size(); ++i) {
      const ProductStep& p = *products_[i];
      places[i] = {frame.data(p.input()), frame.data(p.other()), frame.allocate(p.result())};
    }
    FloatingPointWatch watch("matmul");
    parallel_for(0, static_cast<int64_t>(products_.size()), 1, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        products_[i]->multiply_alone(places[i].input, places[i].other, places[i].out);
    });
    if (TNP_UNLIKELY(watch.end()))
      for (const ProductStep* product : products_) product->report_errors(frame);
    return true;
  }
  std::string name() const override { return "batch"; }
  bool has_short_shares(const Trace&) const override { return true; }

 private:
  std::vector<const ProductStep*> products_;  // the parts
};

ProductStep* product_of(const std::unique_ptr<Step>& step) { return dynamic_cast<ProductStep*>(step.get()); }

}  // namespace

std::unique_ptr<Step> product_step(const Trace& trace, std::unique_ptr<Step> step) {
  if (step->call.op != &schemas::matmul || step->call.gives("out")) return step;
  const int result = new_result(trace, *step), input = step->reads[0], other = step->reads[1];
  const auto dtype = [&](int v) { return trace.views[static_cast<size_t>(v)].dtype; };
  if (result < 0 || dtype(input) != dtype(result) || dtype(other) != dtype(result)) return step;
  return std::make_unique<ProductStep>(*step, result, input, other, trace);
}

void measure_products(Trace& trace) {
  for (const std::unique_ptr<Step>& step : trace.steps)
    if (ProductStep* product = product_of(step)) product->measure(trace);
}

void batch_products(Trace& trace) {
  const auto touches = [&](const std::vector<int>& views, int view) {
    return has_slot(trace, views, slot_of(trace, view));
  };
  const auto is_outside = [&](int v) { return trace.slot_of(v).is_from_outside(); };
  // Whether the product of step `at` may run in the place of step `first`. Arrays from outside may
  // alias each other without the trace's knowledge.
  const auto may_move = [&](const ProductStep& product, size_t first, size_t at) {
    const bool reads_outside = is_outside(product.input()) || is_outside(product.other());
    for (size_t i = first; i < at; ++i) {
      const Step* step = trace.steps[i].get();
      if (!step) continue;
      if (step->looks || step->draws || touches(step->writes, product.input()) ||
          touches(step->writes, product.other()) ||
          (reads_outside && std::any_of(step->writes.begin(), step->writes.end(), is_outside)))
        return false;
    }
    return true;
  };
  for (size_t first = 0; first < trace.steps.size(); ++first) {
    const ProductStep* product = trace.steps[first] ? product_of(trace.steps[first]) : nullptr;
    if (!product) continue;
    const DialectGuard guard(product->dialect());
    std::vector<size_t> found{first};
    for (size_t i = first + 1; i < std::min(trace.steps.size(), first + 1 + kFarthest); ++i) {
      const ProductStep* other = trace.steps[i] ? product_of(trace.steps[i]) : nullptr;
      if (other && other->dialect() == product->dialect() && may_move(*other, first, i)) found.push_back(i);
    }
    // Test this last, since it may run the product.
    if (found.size() > 1) std::erase_if(found, [&](size_t i) { return !product_of(trace.steps[i])->is_share(trace); });
    if (found.size() < 2 || found[0] != first) continue;
    auto batch = std::make_unique<ProductBatch>();
    for (const size_t i : found)
      batch->add(std::unique_ptr<ProductStep>(static_cast<ProductStep*>(trace.steps[i].release())));
    trace.steps[first] = std::move(batch);
  }
  std::erase(trace.steps, nullptr);
}

}  // namespace tnp::compiler
