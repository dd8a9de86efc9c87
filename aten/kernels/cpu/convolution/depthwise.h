// Depthwise convolutions of planes: each group has one channel of x; all tensors are row-major.
#pragma once

#include "aten/kernels/convolution.h"

namespace tnp::depthwise {

bool handles_forward(const Convolution& c);
bool handles_input(const Convolution& c);
bool handles_weight(const Convolution& c);

// `bias` is added to the result and may be null.
template <class T>
void forward(const Convolution& c, const T* x, const T* weight, const T* bias, T* y);
template <class T>
void input_gradient(const Convolution& c, const T* y, const T* weight, const T* bias, T* x);
template <class T>
void weight_gradient(const Convolution& c, const T* x, const T* y, T* weight);

}  // namespace tnp::depthwise
