// Products of stacks of 16-bit floats by oneDNN.
#pragma once

#include "aten/core/containers/dim_vector.h"
#include "aten/core/numbers/dtype.h"

namespace tnp::onednn {

// A stack of matrices: batch axes first, strides in elements and positive. A batch axis of size 1 is repeated as often
// as the other operand or the result has it. Rows or columns of each matrix are dense.
struct Operand {
  const void* data;
  DimVector sizes, strides;
};

#if defined(TNP_WITH_ONEDNN)
// Whether oneDNN is there, knows instructions of this machine for `dtype`, and is the faster way to `count` products of
// (m, k) and (k, n).
bool pays(ScalarType dtype, int64_t count, int64_t m, int64_t n, int64_t k);

// Writes the product to `out`, dense of `sizes`, after adding `bias` (of `dtype`, or null) to its rows. False, and
// nothing written, where oneDNN has no fast kernel for the strides.
bool multiply(ScalarType dtype, const Operand& a, const Operand& b, void* out, IntList sizes,
              const void* bias = nullptr);
#else
inline bool pays(ScalarType, int64_t, int64_t, int64_t, int64_t) { return false; }
inline bool multiply(ScalarType, const Operand&, const Operand&, void*, IntList, const void* = nullptr) {
  return false;
}
#endif

}  // namespace tnp::onednn
