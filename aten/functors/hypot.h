// The Euclidean length of (a, b), without intermediate overflow and within 1 ULP. Free of branches,
// so that it vectorises.
#pragma once

#include "aten/functors/functor.h"

namespace tnp::math {

// x * x as an exact unevaluated sum high + low, for |x| < 2^480. Uses a fused multiply-add if
// available, otherwise Dekker's product (T. J. Dekker, Numerische Mathematik 18 (1971) 224).
TNP_HOST_DEVICE TNP_INLINE double square_with_error(double x, double& low) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
  const double product = x * x;
  low = std::fma(x, x, -product);
  return product;
#else
  double c = 134217729.0 * x;  // 2^27 + 1 splits the 53 bits into halves whose products are exact
  double top = c - (c - x), rest = x - top, high = x * x;
  low = ((top * top - high) + 2 * top * rest) + rest * rest;
  return high;
#endif
}

// One step of Newton's method from sqrt(x^2 + y^2), with the rounding errors of the squares and
// their sum. Source: C. F. Borges, "Algorithm 1014: An Improved Algorithm for hypot(x,y)", ACM TOMS
// 47 (2020).
TNP_HOST_DEVICE TNP_INLINE double hypot(double a, double b) {
  double x = std::fabs(a), y = std::fabs(b);
  double larger = x > y ? x : y, smaller = x > y ? y : x;
  double scale = larger > 0x1p450 ? 0x1p-600 : 1.0, unscale = larger > 0x1p450 ? 0x1p600 : 1.0;
  scale = larger < 0x1p-450 ? 0x1p600 : scale;
  unscale = larger < 0x1p-450 ? 0x1p-600 : unscale;
  larger *= scale;
  smaller *= scale;
  double larger_low, smaller_low, h_low;
  double larger_square = square_with_error(larger, larger_low),
         smaller_square = square_with_error(smaller, smaller_low);
  double sum = larger_square + smaller_square;
  double sum_low = ((larger_square - sum) + smaller_square) + larger_low + smaller_low;
  double h = std::sqrt(sum);
  double h_square = square_with_error(h, h_low);
  double corrected = h + (((sum - h_square) - h_low) + sum_low) / (2 * h);
  double result = (h > 0 ? corrected : 0.0) * unscale;
  result = x + y != x + y ? x + y : result;  // propagates NaN
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return x == infinity ? infinity : y == infinity ? infinity : result;
}

// Squares of floats are exact in double and cannot overflow.
TNP_HOST_DEVICE TNP_INLINE float hypot(float a, float b) {
  double x = a, y = b;
  float result = static_cast<float>(std::sqrt(x * x + y * y));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return std::fabs(a) == infinity ? infinity : std::fabs(b) == infinity ? infinity : result;
}

}  // namespace tnp::math
