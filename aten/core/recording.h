// Whether autograd must record an operator on the given tensors. aten/autograd implements the
// recording.
#pragma once

#include "aten/core/tensor.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

inline bool needs_recording(const Tensor& t) { return grad_enabled() && t.defined() && t.requires_grad(); }
inline bool needs_recording(TensorList list) {
  if (!grad_enabled()) return false;
  for (const Tensor& t : list)
    if (t.defined() && t.requires_grad()) return true;
  return false;
}
template <class... Ts>
inline bool any_needs_recording(const Ts&... tensors) {
  return grad_enabled() && (needs_recording(tensors) || ...);
}

}  // namespace tnp
