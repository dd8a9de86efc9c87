#include "aten/compiler/kernel_steps.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "aten/compiler/frame.h"
#include "aten/core/floating_point_errors.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/blas_library.h"
#include "aten/kernels/cpu/matmul_operands.h"
#include "aten/kernels/product_choice.h"

namespace tnp::compiler {

namespace {

class ProductStep final : public KernelStep {
 public:
  ProductStep(std::unique_ptr<Step> call, int result, Dialect dialect, int input, int other)
      : KernelStep(std::move(call), result, dialect), input_(input), other_(other) {}
  bool run(Frame& frame) const override {
    const DialectGuard guard(dialect());
    if (choice_) {
      FloatingPointWatch watch("matmul");
      const char *input = frame.data(input_), *other = frame.data(other_);
      choice_->run(input, other, frame.allocate(result()));
      if (TNP_LIKELY(!watch.end())) return true;  // else once more, by what knows which errors are one
    }
    frame.allocate(result());
    native::matmul_cpu(frame.tensor(input_), frame.tensor(other_), frame.tensor(result()));
    return true;
  }
  bool has_short_shares(const Record& record) const override;
  void measure(const Record& record);

 private:
  const int input_, other_;
  std::optional<native::ProductChoice> choice_;
};

// Of the view's geometry.
Tensor without_elements(const View& v) {
  return empty_strided_tensor(v.sizes, v.strides, v.dtype, Device{DeviceType::Meta});
}

void ProductStep::measure(const Record& record) {
  const auto operand = [&](int v) { return without_elements(record.views[static_cast<size_t>(v)]); };
  choice_ = native::ProductChoice::fastest(operand(input_), operand(other_));
}

bool ProductStep::has_short_shares(const Record& record) const {
  constexpr int64_t kMost = 1 << 24;  // multiplications: a millisecond
  if (choice_) return choice_->is_shared();
  const View &a = record.views[static_cast<size_t>(input_)], &b = record.views[static_cast<size_t>(other_)];
  if (a.sizes.size() != 2 || b.sizes.size() != 2) return false;
  const int64_t m = a.sizes[0], k = a.sizes[1], n = b.sizes[1], work = m * n * k;
  const bool by_loops = a.dtype == ScalarType::Float32   ? blas::prefers_loops<float>(m, n, k)
                        : a.dtype == ScalarType::Float64 ? blas::prefers_loops<double>(m, n, k)
                                                         : false;
  return (by_loops ? work >= native::kWorkOfOne : work > native::kWorkOfOne) && work <= kMost;
}

// The view of the one result, if it is new and dense; else -1.
int new_result(const Record& record, const Step& call) {
  if (call.writes.size() != 1) return -1;
  const int result = call.writes[0];
  const View& v = record.views[static_cast<size_t>(result)];
  const bool is_new = std::none_of(call.reads.begin(), call.reads.end(),
                                   [&](int r) { return record.views[static_cast<size_t>(r)].slot == v.slot; });
  const bool is_on_host =
      record.slot_of(result).device.is_cpu() &&
      std::all_of(call.reads.begin(), call.reads.end(), [&](int r) { return record.slot_of(r).device.is_cpu(); });
  return is_new && is_on_host && v.is_contiguous && v.numel > 0 && v.offset == 0 ? result : -1;
}

}  // namespace

KernelStep::KernelStep(std::unique_ptr<Step> call, int result, Dialect dialect)
    : result_(result), dialect_(dialect), call_(std::move(call)) {
  reads = call_->reads;
  writes = call_->writes;
  allocates = {result};
}

bool ReductionStep::run(Frame& frame) const {
  const DialectGuard guard(dialect());
  const char* input = frame.data(input_);
  reduction_.run(input, frame.allocate(result()));
  return true;
}

std::unique_ptr<Step> reduction_step(const Record& record, std::unique_ptr<Step> call, Dialect dialect,
                                     const ReductionOp& op, OptIntList dim, bool keepdim,
                                     std::optional<ScalarType> dtype, const ReduceOptions& options) {
  const int result = new_result(record, *call);
  if (result < 0 || call->reads.size() != 1 || options.initial) return call;
  const int input = call->reads[0];
  const DialectGuard guard(dialect);
  const auto operand = [&](int v) { return without_elements(record.views[static_cast<size_t>(v)]); };
  std::optional<PlannedReduction> planned =
      PlannedReduction::of(op, operand(input), dim, keepdim, dtype, options.parameter, operand(result));
  if (!planned) return call;
  return std::make_unique<ReductionStep>(std::move(call), result, dialect, input, std::move(*planned));
}

std::unique_ptr<Step> product_step(const Record& record, std::unique_ptr<Step> call, Recorder& recorder) {
  int input = -1, other = -1, end = 0;
  const std::string text = call->text();
  const int found = std::sscanf(text.c_str(), "matmul(%%%d, %%%d, out=None)%n", &input, &other, &end);
  const int result = new_result(record, *call);
  if (found != 2 || static_cast<size_t>(end) != text.size() || result < 0) return call;
  const auto dtype = [&](int v) { return record.views[static_cast<size_t>(v)].dtype; };
  if (dtype(input) != dtype(result) || dtype(other) != dtype(result)) return call;
  return std::make_unique<ProductStep>(std::move(call), result, recorder.dialect_of_step(), input, other);
}

void measure_products(Record& record) {
  for (const std::unique_ptr<Step>& step : record.steps)
    if (auto* product = dynamic_cast<ProductStep*>(step.get())) product->measure(record);
}

}  // namespace tnp::compiler
