// Gradient of constant padding.
#include "aten/functions/padding.h"
#include "aten/native_functions/padding.h"

namespace tnp::native {

Tensor constant_pad_nd_backward(const Tensor& grad, IntList pad) {
  DimVector back;
  for (int64_t n : pad) back.push_back(-n);
  return tnp::constant_pad_nd(grad, back, Scalar(0));
}

}  // namespace tnp::native
