#include "aten/compiler/loop_plan.h"

#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/iterator/coalesce.h"

namespace tnp::compiler {

namespace {

constexpr int64_t kMostElements = 16384;  // larger ones may run in parallel
constexpr int64_t kMostLines = 64, kShortLine = 8;

}  // namespace

std::optional<LoopPlan> LoopPlan::of(const Trace& trace, const ElementwiseCall& e) {
  const View& result = view_of(trace, e.result);
  if (!e.is_made || result.numel > kMostElements) return {};
  LoopPlan plan;
  plan.loop_ = e.operation.loop;
  plan.watched_ = e.operation.watched;
  plan.num_operands_ = static_cast<int>(1 + e.num_inputs);
  const size_t ndim = result.sizes.size();
  std::array<DimVector, 4> strides;
  strides[0] = strides_along(result, result.sizes);
  for (size_t i = 0; i < e.num_inputs; ++i) {
    const View& v = view_of(trace, e.inputs[i]);
    if (v.dtype != e.types[1 + i] && !e.is_number[i]) return {};
    strides[1 + i] = strides_along(v, result.sizes);
  }
  DimVector sizes;
  std::array<DimVector, 4> merged;
  const auto count = static_cast<size_t>(plan.num_operands_);
  for (size_t d = ndim; d-- > 0;)
    add_axis(
        sizes, count, result.sizes[d], [&](size_t k) { return strides[k][d]; },
        [&](size_t k) -> DimVector& { return merged[k]; });
  plan.line_ = sizes.empty() ? 1 : sizes[0];
  int64_t lines = 1;
  for (size_t a = 1; a < sizes.size(); ++a) {
    plan.axes_.push_back(sizes[a]);
    lines *= sizes[a];
  }
  plan.num_lines_ = lines;
  if (lines > kMostLines || (lines > 1 && plan.line_ < kShortLine)) return {};
  for (size_t k = 0; k < count; ++k) {
    plan.steps_[k] = sizes.empty() ? 0 : merged[k][0];
    for (size_t a = 1; a < sizes.size(); ++a) plan.strides_[k].push_back(merged[k][a]);
  }
  for (size_t i = 0; i < e.num_inputs; ++i) {
    plan.is_constant_[1 + i] = e.is_number[i];
    plan.constants_[i] = e.numbers[i];
  }
  return plan;
}

void LoopPlan::run(std::array<char*, 4> data) const {
  const FloatingPointWatch watch(watched_);
  for (size_t k = 1; k < static_cast<size_t>(num_operands_); ++k)
    if (is_constant_[k]) data[k] = const_cast<char*>(constants_[k - 1].bytes);
  if (axes_.empty()) return loop_(data.data(), steps_.data(), line_);
  DimVector index(axes_.size(), 0);
  for (;;) {
    std::array<char*, 4> line = data;
    loop_(line.data(), steps_.data(), line_);
    size_t a = 0;
    for (; a < axes_.size(); ++a) {
      for (size_t k = 0; k < static_cast<size_t>(num_operands_); ++k) data[k] += strides_[k][a];
      if (++index[a] < axes_[a]) break;
      for (size_t k = 0; k < static_cast<size_t>(num_operands_); ++k) data[k] -= strides_[k][a] * axes_[a];
      index[a] = 0;
    }
    if (a == axes_.size()) return;
  }
}

}  // namespace tnp::compiler
