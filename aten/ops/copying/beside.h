// Operands that may be on the CPU although the operator runs on another device.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

TNP_API TNP_COLD Tensor copied_beside(Device device, const Tensor& t);

// Copies `t` to `device` if it is on the CPU. Tensors on other devices are returned unchanged, and
// the operator raises the error.
inline Tensor beside(Device device, const Tensor& t) {
  return TNP_LIKELY(t.device() == device) ? t : copied_beside(device, t);
}

}  // namespace tnp
