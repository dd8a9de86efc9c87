// Double-double arithmetic: error-free sums and products as unevaluated pairs high + low (Dekker,
// Numer. Math. 18 (1971) 224-242; Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988).
// Must be compiled without floating-point contraction.
#pragma once

#include "aten/special/polynomial.h"

namespace tnp::special {

struct DoubleDouble {
  double high, low;
};

// The exact sum of a and b. Requires |a| >= |b|, or a = 0.
TNP_HOST_DEVICE inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

TNP_HOST_DEVICE inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

TNP_HOST_DEVICE inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

TNP_HOST_DEVICE inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

TNP_HOST_DEVICE inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble sum = two_sum(a.high, b);
  return fast_two_sum(sum.high, sum.low + a.low);
}

// The error is 2^-105 of the larger term.
TNP_HOST_DEVICE inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

TNP_HOST_DEVICE inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

TNP_HOST_DEVICE inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.high, b);
  return fast_two_sum(product.high, std::fma(a.low, b, product.low));
}

TNP_HOST_DEVICE inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

TNP_HOST_DEVICE inline DoubleDouble operator/(DoubleDouble a, double b) {
  const double quotient = a.high / b;
  return fast_two_sum(quotient, (std::fma(-quotient, b, a.high) + a.low) / b);
}

TNP_HOST_DEVICE inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  return fast_two_sum(quotient, (std::fma(-quotient, b.high, a.high) + (a.low - quotient * b.low)) / b.high);
}

// c[0] + c[1] t + ..., where the first coefficient is c[0] + low. If the first term is the largest,
// nearly all of the error is in the last rounding, which the result's low part keeps.
template <int N>
TNP_HOST_DEVICE inline DoubleDouble horner_pair(double t, const double (&c)[N], double low = 0) {
  double rest = c[N - 1];
  for (int k = N - 2; k >= 1; --k) rest = rest * t + c[k];
  const DoubleDouble product = two_product(rest, t), sum = two_sum(c[0], product.high);
  return {sum.high, sum.low + (product.low + low)};
}

// horner_pair() for a double-double t, where terms after the first may be larger than it. Keeps all
// rounding errors (compensated Horner scheme: Graillat, Langlois and Louvet, 2005).
template <int N>
TNP_HOST_DEVICE inline DoubleDouble compensated_horner(DoubleDouble t, const double (&c)[N]) {
  double sum = c[N - 1], lost = 0;
  for (int k = N - 2; k >= 0; --k) {
    const DoubleDouble product = two_product(sum, t.high), next = two_sum(product.high, c[k]);
    lost = lost * t.high + (product.low + next.low + sum * t.low);
    sum = next.high;
  }
  return {sum, lost};
}

// a / sqrt(x)
TNP_HOST_DEVICE inline DoubleDouble over_root(DoubleDouble a, double x) {
  const double root = std::sqrt(x), root_low = std::fma(-root, root, x) / (2 * root), quotient = a.high / root;
  return {quotient, (std::fma(-quotient, root, a.high) + (a.low - quotient * root_low)) / root};
}

TNP_HOST_DEVICE inline DoubleDouble operator*(double a, DoubleDouble b) { return b * a; }

// factor * a, rounded once; infinity on overflow.
TNP_HOST_DEVICE inline double rounded_product(double factor, DoubleDouble a) {
  const DoubleDouble product = two_product(factor, a.high);
  return std::isinf(product.high) ? product.high : product.high + (product.low + factor * a.low);
}

}  // namespace tnp::special
