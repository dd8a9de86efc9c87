// Convolutions and their gradients by oneDNN.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::onednn {

enum class Pass { Forward, Input, Weight };

// The tensors of a convolution of `x` to `y`: two of them are read and one is written, as `pass` says. x and y are
// row-major or channels last, in memory of the CPU.
struct ConvolutionCall {
  Pass pass;
  const Tensor &x, &weight, &y;
  const Tensor& bias;  // read forward, written with the weight's gradient; may be undefined, as it must be for Input
  IntList stride, padding, dilation;
  int64_t groups;

  const Tensor& written() const { return pass == Pass::Forward ? y : pass == Pass::Input ? x : weight; }
};

#if defined(TNP_WITH_ONEDNN)
// False, and nothing written, where oneDNN is not there or has no fast kernel for this.
bool convolve(const ConvolutionCall& call);
#else
inline bool convolve(const ConvolutionCall&) { return false; }
#endif

}  // namespace tnp::onednn
