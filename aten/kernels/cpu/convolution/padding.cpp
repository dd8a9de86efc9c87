#include "aten/kernels/padding.h"

#include "aten/kernel_functions/padding.h"

void tnp::native::constant_pad_nd_cpu(const Tensor& input, IntList pad, const Scalar& value, const Tensor& out) {
  pad_constant(input, pad, value, out);
}
