// Generated from native_functions.yaml. Registers the loops and kernels of the CUDA library with the
// engine, and the names of the functors with its compiler.
#include "aten/cuda/compiler/kernel_source.h"
#include "aten/cuda_kernels/arrays.h"
#include "aten/cuda_kernels/elements.h"
#include "aten/kernel_functions/arrays.h"
#include "aten/kernel_functions/elements.h"
#include "aten/operator_tables/arrays.h"
#include "aten/operator_tables/elements.h"

namespace tnp {

namespace cuda_loops {
std::span<const PointwiseLoop> twice();
std::span<const PointwiseLoop> halves();
std::span<const ReductionLoop> total();
}  // namespace cuda_loops

void register_cuda_kernels() {
  pointwise_ops::twice.cuda_loops = cuda_loops::twice();
  pointwise_ops::halves.cuda_loops = cuda_loops::halves();
  reduction_ops::total.cuda_loops = cuda_loops::total();
}

namespace gpu {

std::span<const FunctorName> functor_names() {
  static constexpr FunctorName names[] = {
      {&pointwise_ops::twice, "Twice", "sample.h"},
      {&pointwise_ops::halves, "Split", "sample.h"},
  };
  return names;
}

}  // namespace gpu

}  // namespace tnp
