#include "aten/kernels/cuda/copying/cast.h"

#include "aten/cuda/backend.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/pointwise/pointwise_loops.h"

namespace tnp::gpu {

namespace {

template <class T>
struct Identity {
  TNP_HOST_DEVICE T operator()(T x) const { return x; }
};

// Whether the cast is a plain copy of contiguous bytes.
bool is_plain_copy(const IterationPlan& plan) {
  const auto &to = plan.operands[0], &from = plan.operands[1];
  const int64_t size = element_size(to.dtype);
  return !plan.has_mask && !from.is_value && plan.dims.size() == 1 && to.dtype == from.dtype && !is_bool(to.dtype) &&
         to.steps[0] == size && from.steps[0] == size;
}

}  // namespace

// The loop dtype is the output's. The input is converted on load, so there is one pair of kernels
// per dtype and not one per pair of dtypes.
void cast(const IterationPlan& plan) {
  if (is_plain_copy(plan)) {
    DeviceGuard guard(plan.device.index);
    const size_t bytes = static_cast<size_t>(plan.numel * element_size(plan.operands[0].dtype));
    return backend::copy(plan.operands[0].data, plan.operands[1].data, bytes, backend::Copy::WithinDevice,
                         current_stream(plan.device.index));
  }
  visit_dtype(plan.operands[0].dtype, [&]<class T>() { PointwiseKernels<Identity<T>>::launch(plan); });
}

}  // namespace tnp::gpu
