// Batch and group normalisation, T in { float, double }.
#pragma once

#include <cstdint>

namespace tnp {

// An array (batch, channels, length), or in memory (batch, length, channels) where `last`, in T. `weight` and `bias`, a
// number for each channel, may be null: ones and zeros.
template <class T>
struct BatchNorm {
  int64_t batch, channels, length;
  bool last;
  const T* weight;

  // Mean, and variance (of n), of each channel.
  void moments(const T* x, T* mean, T* variance) const;
  // out = (x - mean) rstd weight + bias
  void apply(const T* x, const T* mean, const T* rstd, const T* bias, T* out) const;
  // Null: that gradient is not wanted. Unless `training`, mean and rstd do not depend on the input.
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, bool training, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

// The same for groups of channels, each sample for itself: mean and rstd are (batch, groups).
template <class T>
struct GroupNorm {
  int64_t batch, channels, length, groups;
  const T* weight;
  void forward(const T* x, const T* bias, double eps, T* out, T* mean, T* rstd) const;
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

}  // namespace tnp
