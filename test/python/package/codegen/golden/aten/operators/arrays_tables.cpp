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

namespace schemas {
constinit const OperatorSchema filled{"filled"};
constinit const OperatorSchema product{"product"};
constinit const OperatorSchema swapped{"swapped"};
constinit const OperatorSchema assign_{"assign_"};
constinit const OperatorSchema joined{"joined"};
constinit const OperatorSchema joined_lists{"joined"};
constinit const OperatorSchema places{"places"};
constinit const OperatorSchema normalized{"normalized"};
constinit const OperatorSchema numbers{"numbers"};
constinit const OperatorSchema fill_numbers{"fill_numbers"};
}  // namespace schemas

}  // namespace tnp
