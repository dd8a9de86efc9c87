// Products of stacks of 16-bit floats with oneDNN.
#pragma once

#include "aten/core/containers/dim_vector.h"
#include "aten/core/numbers/dtype.h"

namespace tnp::onednn {

// A stack of matrices: batch axes first, strides in elements and positive. A batch axis of size 1
// is broadcast to the other operand or the result. Rows or columns of each matrix are dense.
struct Operand {
  const void* data;
  DimVector sizes, strides;
};

#if defined(TNP_WITH_ONEDNN)
// Whether oneDNN is available, has instructions for `dtype` on this machine, and is the faster way
// to compute `count` products of (m, k) and (k, n).
bool pays(ScalarType dtype, int64_t count, int64_t m, int64_t n, int64_t k);

// Writes the product plus `bias` (of `dtype`, or null; added to each row) to `out`, which is dense
// with shape `sizes`. Returns false, without writing, if oneDNN has no fast kernel for the strides.
bool multiply(ScalarType dtype, const Operand& a, const Operand& b, void* out, IntList sizes,
              const void* bias = nullptr);
#else
inline bool pays(ScalarType, int64_t, int64_t, int64_t, int64_t) { return false; }
inline bool multiply(ScalarType, const Operand&, const Operand&, void*, IntList, const void* = nullptr) {
  return false;
}
#endif

}  // namespace tnp::onednn
