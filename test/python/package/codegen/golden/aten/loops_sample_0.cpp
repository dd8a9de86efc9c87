// Generated from native_functions.yaml. Loops of the functors in sample.h.
#include "aten/functors/sample.h"
#include "aten/kernels/cpu/pointwise/pointwise_loops.h"

namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

std::span<const PointwiseLoop> twice() { return make_loops<Twice, ComputeTypes, ErrorSource::None>(); }
}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
