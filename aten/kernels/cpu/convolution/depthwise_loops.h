// Sums over the taps of a depthwise convolution, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// Every `n` is a multiple of `step`.
template <class T>
struct DepthwiseLoop {
  // y[i] = bias + the sum over taps of weight[tap] * x[i + offsets[tap]]
  void (*taps)(const T* x, const int64_t* offsets, const T* weight, int64_t taps, T bias, T* y, int64_t n);
  // sums[tap] += the sum over i of x[i + offsets[tap]] * y[i]
  void (*products)(const T* x, const int64_t* offsets, int64_t taps, const T* y, int64_t n, double* sums);
  // Copies rows of n elements.
  void (*copy_rows)(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t n);
  int64_t step;
};
struct DepthwiseLoops {
  DepthwiseLoop<float> floats;
  DepthwiseLoop<double> doubles;
};

namespace depthwise_loops {
TNP_DECLARE_LOOPS(DepthwiseLoops, loops)
}  // namespace depthwise_loops

}  // namespace tnp
