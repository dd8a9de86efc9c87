// requires_grad= of the functions that make tensors.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::native {

inline Tensor with_grad(Tensor t, bool requires_grad) {
  if (requires_grad) t.set_requires_grad(true);
  return t;
}

}  // namespace tnp::native
