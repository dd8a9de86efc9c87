// Generated from native_functions.yaml. Loops of the functors in sample.h.
#include "aten/functors/sample.h"
#include "aten/kernels/cpu/pointwise/pointwise_loops.h"
#include "aten/kernels/cpu/reduction/reduction_loops.h"

namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

std::span<const PointwiseLoop> twice() { return make_loops<Twice, ComputeTypes, ErrorSource::None>(); }
std::span<const ReductionLoop> total() { return make_reduction_loops<Total, ComputeTypes>(); }
}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
