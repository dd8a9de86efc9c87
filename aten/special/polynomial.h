// Polynomials with constant coefficients, and products with error compensation.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "aten/core/macros.h"

// Storage class of a local table in a host-and-device function.
#ifdef __CUDA_ARCH__
#define TNP_TABLE constexpr
#else
#define TNP_TABLE static constexpr
#endif

namespace tnp::special {

// c[0] + c[1] t + c[2] t^2 + ...
template <int N>
TNP_HOST_DEVICE inline double horner(double t, const double (&c)[N]) {
  double sum = c[N - 1];
  for (int k = N - 2; k >= 0; --k) sum = sum * t + c[k];
  return sum;
}

constexpr double kPi = 3.14159265358979323846, kInfinity = std::numeric_limits<double>::infinity(),
                 kNaN = std::numeric_limits<double>::quiet_NaN();

// exp(factor x^2), corrected for the rounding error of x^2.
TNP_HOST_DEVICE inline double exp_square(double x, double factor) {
  const double square = x * x;
  if (!(square < 1e5)) return std::exp(square * factor);
  return std::exp(square * factor) * (1 + std::fma(x, x, -square) * factor);
}

}  // namespace tnp::special
