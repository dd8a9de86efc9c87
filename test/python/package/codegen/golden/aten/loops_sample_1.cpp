// Generated from native_functions.yaml. Loops of the functors in sample.h.
#include "aten/functors/sample.h"
#include "aten/kernels/cpu/pointwise/pointwise_loops.h"

namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

std::span<const PointwiseLoop> halves() { return make_loops<Split, FloatTypes, ErrorSource::None>(); }
}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
