// Whether autograd must put an operator on the tape, given its tensors: gradients are enabled, and
// one of the tensors requires grad. aten/autograd has the tape.
#pragma once

#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

inline bool compute_requires_grad(const Tensor& t) { return grad_enabled() && t.defined() && t.requires_grad(); }
inline bool compute_requires_grad(TensorList list) {
  if (!grad_enabled()) return false;
  for (const Tensor& t : list)
    if (t.defined() && t.requires_grad()) return true;
  return false;
}
template <class... Ts>
  requires(sizeof...(Ts) != 1)
inline bool compute_requires_grad(const Ts&... tensors) {
  return grad_enabled() && (compute_requires_grad(tensors) || ...);
}

}  // namespace tnp
