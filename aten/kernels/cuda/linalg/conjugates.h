// Scaling and conjugation of results of libraries.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// out = factor * in, both row-major and of one floating or complex dtype.
void scale_into(const Tensor& out, const Tensor& in, double factor);
inline void scale(const Tensor& t, double factor) {
  if (factor != 1) scale_into(t, t, factor);
}

// t = conj(t), row-major; does nothing for real dtypes.
void conjugate(const Tensor& t);

// Completes a real-to-complex transform of n numbers along `dim`. The row-major `out` holds its
// first n / 2 + 1 values y_k. The function multiplies them by `factor` and fills in y_(n-k) =
// conj(y_k). Unless `forward`, it conjugates all of them, which gives the inverse transform.
void complete_conjugates(const Tensor& out, int64_t dim, bool forward, double factor);

}  // namespace tnp::gpu
