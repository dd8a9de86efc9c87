// Convolutions and their gradients with oneDNN.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::onednn {

enum class Pass { Forward, Input, Weight };

// The tensors of a convolution from `x` to `y`: two of them are read and one is written, depending
// on `pass`. x and y are row-major or channels-last, in CPU memory.
struct ConvolutionCall {
  Pass pass;
  const Tensor &x, &weight, &y;
  // Pass::Forward reads `bias`; Pass::Weight writes the bias's gradient to it. `bias` may be
  // undefined, and must be undefined for Pass::Input.
  const Tensor& bias;
  IntList stride, padding, dilation;
  int64_t groups;

  const Tensor& written() const { return pass == Pass::Forward ? y : pass == Pass::Input ? x : weight; }
};

#if defined(TNP_WITH_ONEDNN)
// Returns false, without writing, if oneDNN is not available or has no fast kernel.
bool convolve(const ConvolutionCall& call);
#else
inline bool convolve(const ConvolutionCall&) { return false; }
#endif

}  // namespace tnp::onednn
