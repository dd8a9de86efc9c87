// The out= option of operators that have kernels.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

struct OutOptions {
  Tensor out;  // if undefined, the kernel allocates the result
};

}  // namespace tnp
