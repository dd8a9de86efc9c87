// Powers with small integer exponents by repeated multiplication, for CUDA. CUDA's pow() is within
// 2 ULP, but inexact for exact cases such as 3 squared = 9.
#pragma once

#include <cmath>

#include "aten/special/double_double.h"

namespace tnp::math {

inline constexpr int kLargestWholePower = 8;

template <class T>
TNP_HOST_DEVICE inline bool is_whole_power(T exponent) {
  return exponent == std::trunc(exponent) && std::abs(exponent) <= T(kLargestWholePower);
}

// The products of up to eight factors of 24 bits lose less in double than the final rounding to
// float does.
TNP_HOST_DEVICE inline float whole_power(float base, int exponent) {
  double power = 1, x = base;
  for (int n = exponent < 0 ? -exponent : exponent; n > 0; n /= 2, x *= x)
    if (n % 2 != 0) power *= x;
  return static_cast<float>(exponent < 0 ? 1 / power : power);
}

TNP_HOST_DEVICE inline double whole_power(double base, int exponent) {
  special::DoubleDouble power{1, 0}, x{base, 0};
  for (int n = exponent < 0 ? -exponent : exponent; n > 0; n /= 2) {
    if (n % 2 != 0) power = power * x;
    if (n > 1) x = x * x;
  }
  // Falls back to pow() if low parts underflow or the result is not finite.
  const double size = std::abs(power.high);
  if (!(size > 1e-250 && size < 1e250)) return std::pow(base, static_cast<double>(exponent));
  if (exponent >= 0) return power.high;
  const double quotient = 1 / power.high;
  return quotient + quotient * (std::fma(-quotient, power.high, 1.0) - quotient * power.low);
}

}  // namespace tnp::math
