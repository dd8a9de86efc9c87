// The out= option of operators that have kernels.
#pragma once

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

struct OutOptions {
  Tensor out;  // if undefined, the kernel allocates the result
  OutDtype out_dtype = OutDtype::SameKind;
};

}  // namespace tnp
