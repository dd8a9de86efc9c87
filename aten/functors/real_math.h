// Real-number overloads of the functions in complex_math.h, and Python's floor division, which C
// lacks.
#pragma once

#include "aten/functors/complex_math.h"

namespace tnp::math {

#define TNP_REAL_FUNCTION(name)                                       \
  TNP_HOST_DEVICE inline float name(float x) { return std::name(x); } \
  TNP_HOST_DEVICE inline double name(double x) { return std::name(x); }
TNP_REAL_FUNCTION(exp)
TNP_REAL_FUNCTION(exp2)
TNP_REAL_FUNCTION(expm1)
TNP_REAL_FUNCTION(log)
TNP_REAL_FUNCTION(log2)
TNP_REAL_FUNCTION(log10)
TNP_REAL_FUNCTION(log1p)
TNP_REAL_FUNCTION(sqrt)
TNP_REAL_FUNCTION(sin)
TNP_REAL_FUNCTION(cos)
TNP_REAL_FUNCTION(tan)
TNP_REAL_FUNCTION(asin)
TNP_REAL_FUNCTION(acos)
TNP_REAL_FUNCTION(atan)
TNP_REAL_FUNCTION(sinh)
TNP_REAL_FUNCTION(cosh)
TNP_REAL_FUNCTION(tanh)
TNP_REAL_FUNCTION(asinh)
TNP_REAL_FUNCTION(acosh)
TNP_REAL_FUNCTION(atanh)
#undef TNP_REAL_FUNCTION

template <class T>
TNP_HOST_DEVICE inline bool isnan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

// Python's remainder and floor division of floats. `mod` is fmod(a, b), which vector math computes
// for many elements at once. The remainder is `mod` adjusted to the sign of the divisor. The
// quotient is derived from the remainder so that quotient * b + remainder is as close to a as
// possible. Source: CPython, float_divmod.
template <class T>
TNP_HOST_DEVICE inline T python_remainder(T b, T mod) {
  if (b == 0) return mod;
  if (mod == 0) return std::copysign(T(0), b);
  return (b < 0) != (mod < 0) ? mod + b : mod;
}
template <class T>
TNP_HOST_DEVICE inline Pair<T, T> python_divmod(T a, T b, T mod) {
  if (b == 0) return {a / b, mod};
  T div = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      div -= 1;
    }
  } else {
    mod = std::copysign(T(0), b);
  }
  if (div == 0) return {std::copysign(T(0), a / b), mod};
  T floored = std::floor(div);
  if (div - floored > T(0.5)) floored += 1;
  return {floored, mod};
}

// The quotient rounded down. If an operand is infinite, no remainder exists to derive it from; the
// result is then the plain quotient: inf // 2 is inf and 1 // -inf is -0.0 (Python: nan, -1).
// Source: the Python array API standard.
template <class T>
TNP_HOST_DEVICE inline T floor_quotient(T a, T b, T mod) {
  T quotient = python_divmod(a, b, mod).first;
  return std::isinf(a) || std::isinf(b) ? a / b : quotient;
}

}  // namespace tnp::math
