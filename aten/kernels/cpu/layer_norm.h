// Normalisation of dense rows, T in { float, double }: by mean and variance, or (`centred` false) by the root of the
// mean square alone.
#pragma once

#include <cstdint>

namespace tnp {

// `weight` and `bias` may be null: ones and zeros.
template <class T>
struct LayerNorm {
  int64_t rows, length;
  const T* weight;
  bool centred = true;

  // out = (x - mean) rstd weight + bias; mean (unless not `centred`) and rstd, one a row, are written.
  void forward(const T* x, const T* bias, double eps, T* out, T* mean, T* rstd) const;
  // Null: that gradient is not wanted.
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

}  // namespace tnp
