// Whether an operator must be composed of operators that have derivatives.
#pragma once

#include "aten/core/requires_grad.h"

namespace tnp {

inline bool is_transformed(const Tensor& t) { return t.defined() && t.device().is_wrapped(); }

// Autograd records the operator, or a transformation computes it: Note [Wrapped tensors]. Else a kernel
// may compute all of it.
template <class... Ts>
bool needs_derivatives(const Ts&... tensors) {
  return compute_requires_grad(tensors...) || (is_transformed(tensors) || ...);
}

}  // namespace tnp
