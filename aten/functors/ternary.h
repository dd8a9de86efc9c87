// VectorMath for functors of three operands, some of which are usually one number for all elements.
// As in vector math (kernels/cpu/pointwise/vectorized_functors.h), the loops handle constant and
// dense operands separately from strided ones, so that they vectorise.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

template <class Functor>
struct VectorMath;

template <class Functor, class T, class Result = T>
struct TernaryMath {
  static constexpr bool available = true;
  static TNP_INLINE void apply(const T* a, const T* b, const T* c, Result* out, int64_t n) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = Functor{}(a[i], b[i], c[i]);
  }
};

}  // namespace tnp
