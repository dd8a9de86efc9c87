// Cross entropy on the CPU.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Cross entropy of classes: `input` has n classes along the middle axis of (outer, n, inner), `target` (outer, inner)
// the index of one of them; all dense.
template <class T>
struct CrossEntropy {
  int64_t outer, n, inner;
  const T* input;
  const int64_t* target;
  const T* weight;  // of each class, or null
  int64_t ignore_index;
  double smoothing;

  // Writes the loss of each, log(sum(exp(input))), and gives the sum of the targets' weights. Raises Index.
  double forward(T* loss, T* lse) const;
  // Its gradient, of losses whose gradients are `grad`, `grad_step` (0 or 1) apart, times `factor`.
  void backward(const T* grad, int64_t grad_step, double factor, const T* lse, T* to) const;
};

}  // namespace tnp
