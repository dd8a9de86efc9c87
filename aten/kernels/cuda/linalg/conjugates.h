// Scaling and conjugating what libraries have computed.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// out = factor * in, both row-major and of one floating or complex dtype.
void scale_into(const Tensor& out, const Tensor& in, double factor);
inline void scale(const Tensor& t, double factor) {
  if (factor != 1) scale_into(t, t, factor);
}

// t = conj(t), row-major; nothing to do for real ones.
void conjugate(const Tensor& t);

// Of a transform of n real numbers along `dim`, the first n / 2 + 1 values y_k are in the row-major `out`: multiplies
// them by `factor`, and fills in y_(n-k) = conj(y_k). The inverse transform's, if not `forward`, are the conjugates.
void complete_conjugates(const Tensor& out, int64_t dim, bool forward, double factor);

}  // namespace tnp::gpu
