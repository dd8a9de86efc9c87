// The out= option of operators that have kernels.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

struct OutOptions {
  Tensor out;  // undefined: the kernel allocates
};

}  // namespace tnp
