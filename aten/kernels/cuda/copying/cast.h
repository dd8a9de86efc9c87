// output = input, cast. The kernel of copies, casts and fills.
#pragma once

#include "aten/iterator/iterator.h"

namespace tnp::gpu {

void cast(const IterationPlan& plan);

}  // namespace tnp::gpu
