// Generated from native_functions/arrays.yaml. Descriptors of the operators
// that pointwise() and reduce() run, and pointers to the kernels of the CUDA library.
#include "aten/operator_tables/arrays.h"

#include "aten/core/threads/capability.h"
#include "aten/cuda_kernels/arrays.h"
#include "aten/dispatch/checks.h"

namespace tnp {

namespace cuda_kernels {
}  // namespace cuda_kernels

namespace cpu_loops {
}  // namespace cpu_loops

namespace pointwise_ops {
}  // namespace pointwise_ops

namespace reduction_ops {
}  // namespace reduction_ops

}  // namespace tnp
