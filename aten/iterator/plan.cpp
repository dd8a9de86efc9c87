// The iterator's plan for kernels of devices other than the CPU, and casts on any device.
#include <cstring>

#include "aten/core/devices/device_runtime.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/loop_nest.h"

namespace tnp {

IterationPlan Iterator::plan() const {
  LoopNest nest = make_nest(axes_by_stride(), true);
  IterationPlan plan;
  plan.device = device_;
  plan.dims = nest.dims;
  plan.numel = numel_;
  plan.num_outputs = num_outputs_;
  for (int k = 0; k < num_operands_; ++k) {
    const Operand& o = operands_[k];
    if (o.is_mask && o.is_constant) {  // a CPU scalar mask: one truth value for all elements
      if (!o.constant[0]) plan.numel = 0;
      continue;
    }
    IterationPlan::Operand& to = o.is_mask ? plan.mask : plan.operands[static_cast<size_t>(plan.num_operands++)];
    plan.has_mask |= o.is_mask;
    to.data = nest.origin[k];
    to.dtype = o.tensor.dtype();
    to.loop_dtype = o.loop_dtype;
    to.is_value = o.is_constant;
    if (o.is_constant) std::memcpy(to.value, o.constant, sizeof to.value);
    to.steps = nest.steps[k];
  }
  return plan;
}

void Iterator::cast(double cost) {
  TNP_INTERNAL_ASSERT(num_outputs_ == 1 && operands_[1].loop_dtype == operands_[0].loop_dtype);
  if (TNP_UNLIKELY(device_.is_meta())) return;
  if (TNP_LIKELY(device_.is_cpu())) return for_each(cast_loop(operands_[0].loop_dtype, operands_[1].loop_dtype), cost);
  if (numel_ > 0) runtime_of(device_).cast(plan());
}

}  // namespace tnp
