#include "aten/compiler/kernel_steps.h"

#include <algorithm>
#include <utility>

#include "aten/compiler/frame.h"
#include "aten/compiler/steps.h"

namespace tnp::compiler {

Tensor without_elements(const View& v) {
  return empty_strided_tensor(v.sizes, v.strides, v.dtype, Device{DeviceType::Meta});
}

int new_result(const Trace& trace, const Step& call) {
  if (call.writes.size() != 1) return -1;
  const int result = call.writes[0];
  const View& v = trace.views[static_cast<size_t>(result)];
  const bool is_new = std::none_of(call.reads.begin(), call.reads.end(),
                                   [&](int r) { return trace.views[static_cast<size_t>(r)].slot == v.slot; });
  const bool is_on_host =
      trace.slot_of(result).device.is_cpu() &&
      std::all_of(call.reads.begin(), call.reads.end(), [&](int r) { return trace.slot_of(r).device.is_cpu(); });
  return is_new && is_on_host && v.is_contiguous && v.numel > 0 && v.offset == 0 ? result : -1;
}

KernelStep::KernelStep(Step& replaced, int result) : result_(result) {
  call = std::move(replaced.call);
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

std::unique_ptr<Step> reduction_step(const Trace& trace, std::unique_ptr<Step> step) {
  const auto* reduce = dynamic_cast<const ReduceStep*>(step.get());
  if (!reduce || step->reads.size() != 1 || step->call.gives("initial")) return step;
  const int result = new_result(trace, *step);
  if (result < 0) return step;
  const int input = step->reads[0];
  const DialectGuard guard(step->call.dialect);
  const auto operand = [&](int v) { return without_elements(trace.views[static_cast<size_t>(v)]); };
  const OptIntList dim = reduce->dim ? OptIntList(IntList(*reduce->dim)) : std::nullopt;
  std::optional<PlannedReduction> planned = PlannedReduction::of(reduce->op, operand(input), dim, reduce->keepdim,
                                                                 reduce->dtype, reduce->parameter, operand(result));
  if (!planned) return step;
  return std::make_unique<ReductionStep>(*step, result, input, std::move(*planned));
}

}  // namespace tnp::compiler
