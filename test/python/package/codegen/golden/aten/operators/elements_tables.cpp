// Generated from native_functions/elements.yaml. Descriptors of the operators
// that pointwise() and reduce() run, and pointers to the kernels of the CUDA library.
#include "aten/operator_tables/elements.h"

#include "aten/core/threads/capability.h"
#include "aten/cuda_kernels/elements.h"
#include "aten/dispatch/checks.h"

namespace tnp {

namespace cuda_kernels {
}  // namespace cuda_kernels

namespace cpu_loops {
TNP_DECLARE_LOOPS(PointwiseLoop, twice)
constexpr LoopVariants<PointwiseLoop> twice = TNP_LOOP_VARIANTS(twice);
TNP_DECLARE_LOOPS(PointwiseLoop, halves)
constexpr LoopVariants<PointwiseLoop> halves = TNP_LOOP_VARIANTS(halves);
TNP_DECLARE_LOOPS(ReductionLoop, total)
constexpr LoopVariants<ReductionLoop> total = TNP_LOOP_VARIANTS(total);
}  // namespace cpu_loops

namespace pointwise_ops {
constinit const PointwiseOp twice{"twice", 1, 1, Promotion::Arithmetic,
    [](DeviceType d) { return d == DeviceType::CPU ? cpu_loops::twice.choose() : twice.cuda_loops; }, 2, nullptr, nullptr, false};
constinit const PointwiseOp halves{"halves", 1, 2, Promotion::Floating,
    [](DeviceType d) { return d == DeviceType::CPU ? cpu_loops::halves.choose() : halves.cuda_loops; }, 1, nullptr, nullptr, false};
}  // namespace pointwise_ops

namespace reduction_ops {
constinit const ReductionOp total{"total", ReductionRule::IntegerSum,
    [](DeviceType d) { return d == DeviceType::CPU ? cpu_loops::total.choose() : total.cuda_loops; }, ErrorSource::None};
}  // namespace reduction_ops

}  // namespace tnp
