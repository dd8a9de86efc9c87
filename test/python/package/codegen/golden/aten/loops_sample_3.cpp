// Generated from native_functions.yaml. Loops of the functors in sample.h.
#include "aten/functors/sample.h"

namespace tnp::cpu_loops::TNP_CPU_CAPABILITY {

}  // namespace tnp::cpu_loops::TNP_CPU_CAPABILITY
