// out= of operators that are written on other operators.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// `result`, copied into `out` if there is one; the copy is on the tape. Raises Shape or Runtime if it has another shape
// or is on another device. Which casts are allowed is the caller's to check.
Tensor into_out(const Tensor& out, const Tensor& result);

}  // namespace tnp
