// Softmax and its logarithm on the CPU, and cross entropy made of them.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Of floats of any kind, over `dim`, which is counted from the front; 16-bit floats are computed as float32.
Tensor softmax_cpu(const Tensor& input, int64_t dim, bool logarithm);
Tensor softmax_backward_cpu(const Tensor& grad, const Tensor& result, int64_t dim, bool logarithm);

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
