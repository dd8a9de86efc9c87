// Vector math: what a loop calls for a whole contiguous piece instead of the functor element by element.
//
// A specialisation for a functor, e.g. of Exp<float>, has
//   static constexpr bool available = true;
//   static void apply(const float* x, float* out, int64_t n);   // one pointer per operand, then per result
// `out` may be the same memory as an operand, element for element. Errors stay within 1 ULP of the true value.
#pragma once

#include <cstdint>

namespace tnp {

template <class Functor>
struct VectorMath {
  static constexpr bool available = false;
};

}  // namespace tnp
