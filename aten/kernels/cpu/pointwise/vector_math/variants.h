// Our own vector math for every compiled instruction set, for tests.
#pragma once

#include "aten/kernels/cpu/pointwise/vector_math.h"

namespace tnp::vector_math_loops {

TNP_API const LoopVariants<VectorMath32And64>& variants();

}  // namespace tnp::vector_math_loops
