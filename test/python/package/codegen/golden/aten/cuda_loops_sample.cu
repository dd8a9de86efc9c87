// Generated from native_functions.yaml. Kernels of the functors in sample.h.
#include "aten/functors/sample.h"
#include "aten/kernels/cuda/pointwise/pointwise_loops.h"
#include "aten/kernels/cuda/reduction/reduction_loops.h"

namespace tnp::cuda_loops {

std::span<const PointwiseLoop> twice() { return gpu::make_loops<Twice, ComputeTypes>(); }
std::span<const PointwiseLoop> halves() { return gpu::make_loops<Split, FloatTypes>(); }
std::span<const ReductionLoop> total() { return gpu::make_reduction_loops<Total, ComputeTypes>(); }
}  // namespace tnp::cuda_loops
