// Loops of attention over rows of scores, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

template <class T>
struct AttentionLoop {
  // x = x * scale + mask, or x * scale if `mask` is null. Returns the largest element.
  T (*scaled_largest)(T* x, const T* mask, int64_t n, T scale);
  // x = exp(x - value). Returns the sum.
  T (*exponentials)(T* x, int64_t n, T value);
  // to = to * factor + from
  void (*rescale_and_add)(T* to, const T* from, int64_t n, T factor);
  // dp = p * (dp - delta) * scale
  void (*score_gradients)(T* dp, const T* p, int64_t n, T delta, T scale);
  T (*dot)(const T* x, const T* y, int64_t n);
};
struct AttentionLoops {
  AttentionLoop<float> floats;
  AttentionLoop<double> doubles;
};

namespace attention_loops {
TNP_DECLARE_LOOPS(AttentionLoops, loops)
}  // namespace attention_loops

}  // namespace tnp
