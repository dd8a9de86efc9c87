// Functors of three operands, of which some are mostly one number for all: their loops take constants and dense
// operands apart from others, as those of vector math do (kernels/cpu/pointwise/vectorized_functors.h), and become
// loops of vectors.
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
