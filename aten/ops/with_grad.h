// requires_grad= of creation functions, and views without history.
#pragma once

#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/shape.h"

namespace tnp::native {

inline Tensor with_grad(Tensor t, bool requires_grad) {
  if (requires_grad) t.set_requires_grad(true);
  return t;
}

// A view of the same memory that is not part of the autograd graph.
inline Tensor without_history(const Tensor& t) {
  const NoGradGuard no_grad;
  return tnp::alias(t);
}

}  // namespace tnp::native
