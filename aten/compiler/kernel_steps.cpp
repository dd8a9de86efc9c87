#include "aten/compiler/kernel_steps.h"

#include <algorithm>
#include <utility>

#include "aten/compiler/frame.h"
#include "aten/compiler/traced.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

int new_result(const Trace& trace, const Step& call) {
  if (call.writes.size() != 1) return -1;
  const int result = call.writes[0];
  const View& v = trace.views[static_cast<size_t>(result)];
  const bool is_new = !has_slot(trace, call.reads, v.slot);
  const bool is_on_host =
      trace.slot_of(result).device.is_cpu() &&
      std::all_of(call.reads.begin(), call.reads.end(), [&](int r) { return trace.slot_of(r).device.is_cpu(); });
  return is_new && is_on_host && v.is_contiguous && v.numel > 0 && v.offset == 0 ? result : -1;
}

KernelStep::KernelStep(Step& replaced, int result) : result_(result) {
  call = std::move(replaced.call);
  results = replaced.results;
  reads = replaced.reads;
  writes = replaced.writes;
  allocates = {result};
}

bool ReductionStep::run(Frame& frame) const {
  const DialectGuard guard(dialect());
  const char* input = frame.data(input_);
  reduction_.run(input, frame.allocate(result()));
  return true;
}

bool LoopStep::run(Frame& frame) const {
  const DialectGuard guard(dialect());
  std::array<char*, 4> data = {frame.allocate(result())};
  for (size_t i = 0; i < num_inputs_; ++i) data[1 + i] = frame.data(inputs_[i]);
  plan_.run(data);
  return true;
}

std::unique_ptr<Step> reduction_step(const Trace& trace, std::unique_ptr<Step> step) {
  const Call& call = step->call;
  if (!call.reduction || step->reads.size() != 1 || call.gives("initial")) return step;
  const int result = new_result(trace, *step);
  if (result < 0) return step;
  const int input = step->reads[0];
  const DialectGuard guard(call.dialect);
  ArgumentReader reader(call);
  reader.next();
  const auto dim = reader.read(std::type_identity<OptIntList>());
  const auto keepdim = reader.read(std::type_identity<bool>());
  const auto dtype = reader.read(std::type_identity<std::optional<ScalarType>>());
  const ArgumentValue* const parameter = call.keyword("parameter");
  const auto operand = [&](int v) { return without_elements(view_of(trace, v)); };
  std::optional<PlannedReduction> planned =
      PlannedReduction::of(*call.reduction, operand(input), dim, keepdim, dtype,
                           parameter ? std::get<double>(*parameter) : 0, operand(result));
  if (!planned) return step;
  return std::make_unique<ReductionStep>(*step, result, input, std::move(*planned));
}

std::unique_ptr<Step> loop_step(const Trace& trace, std::unique_ptr<Step> step) {
  if (!step->call.pointwise) return step;
  const std::optional<ElementwiseCall> e = elementwise(trace, *step);
  if (!e) return step;
  std::optional<LoopPlan> plan = LoopPlan::of(trace, *e);
  if (!plan) return step;
  return std::make_unique<LoopStep>(*step, e->result, *e, std::move(*plan));
}

}  // namespace tnp::compiler
