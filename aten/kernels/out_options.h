// out= of operators that have kernels.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

struct OutOptions {
  Tensor out;  // undefined: allocate
};

}  // namespace tnp
