// Orthogonal polynomials of degree n at x, with compensation of rounding errors: results keep their
// digits near roots too.
//
// Chebyshev polynomials: repeated doubling of the degree of a pair U(k - 1), U(k) (NIST DLMF
// 18.9.1, 18.7.1-6, with the products of sines that follow from 18.5.2), in double-double
// arithmetic, in log2(n) steps. All other polynomials: three-term recurrences (18.9.1) with a
// second recurrence for the rounding errors of the first (compensated recurrence; Higham, Accuracy
// and Stability of Numerical Algorithms, 2002, chapters 4 and 5; Barrio and Jiang, Numer.
// Algorithms 66 (2014)).
#pragma once

#include "aten/special/double_double.h"

namespace tnp::special {

enum class Chebyshev { T, U, V, W };

// p(n), given p(0) = 1 and p(1) = first. step(k, now, before) returns p(k + 1) rounded, together
// with its error from this rounding and from the errors of `now` and `before`. On overflow the
// result is the infinity or NaN of the plain recurrence.
template <class Step>
TNP_HOST_DEVICE inline double compensated_recurrence(int64_t n, DoubleDouble first, Step step) {
  if (n == 0) return 1;
  DoubleDouble before = {1, 0}, now = first;
  for (int64_t k = 1; k < n && now.high == now.high; ++k) {
    const DoubleDouble after = step(static_cast<double>(k), now, before);
    before = now;
    now = after;
  }
  const double sum = now.high + now.low;
  return std::isfinite(now.high) && std::isfinite(sum) ? sum : now.high;
}

// Recurrence: 2 x * now - 2 k * before. Degrees are below 2^52, so products with them have only
// their own rounding error.
TNP_HOST_DEVICE inline double hermite_h(int64_t n, double x) {
  return compensated_recurrence(n, {x + x, 0}, [x](double k, DoubleDouble now, DoubleDouble before) {
    const DoubleDouble a = two_product(x, now.high), b = two_product(k, before.high), sum = two_sum(a.high, -b.high);
    const double lost = (a.low - b.low) + sum.low + (x * now.low - k * before.low);
    return DoubleDouble{2 * sum.high, 2 * lost};
  });
}

TNP_HOST_DEVICE inline double hermite_he(int64_t n, double x) {
  return compensated_recurrence(n, {x, 0}, [x](double k, DoubleDouble now, DoubleDouble before) {
    const DoubleDouble a = two_product(x, now.high), b = two_product(k, before.high), sum = two_sum(a.high, -b.high);
    return DoubleDouble{sum.high, (a.low - b.low) + sum.low + (x * now.low - k * before.low)};
  });
}

// (factor * now - k * before) / (k + 1)
TNP_HOST_DEVICE inline DoubleDouble three_terms(double k, DoubleDouble factor, DoubleDouble now, DoubleDouble before) {
  const DoubleDouble a = two_product(factor.high, now.high), b = two_product(k, before.high),
                     sum = two_sum(a.high, -b.high);
  const double value = sum.high / (k + 1), rest = std::fma(-value, k + 1, sum.high);
  const double lost =
      rest + sum.low + (a.low - b.low) + factor.low * now.high + (factor.high * now.low - k * before.low);
  return {value, lost / (k + 1)};
}

TNP_HOST_DEVICE inline double laguerre_l(int64_t n, double x) {
  return compensated_recurrence(n, two_sum(1, -x), [x](double k, DoubleDouble now, DoubleDouble before) {
    return three_terms(k, two_sum(2 * k + 1, -x), now, before);
  });
}

TNP_HOST_DEVICE inline double legendre_p(int64_t n, double x) {
  return compensated_recurrence(n, {x, 0}, [x](double k, DoubleDouble now, DoubleDouble before) {
    return three_terms(k, two_product(2 * k + 1, x), now, before);
  });
}

// U(n) and U(n - 1). Doubling formulas: U(2 k) = (U(k) - U(k - 1)) (U(k) + U(k - 1)), U(2 k - 1) =
// 2 U(k - 1) (U(k) - x U(k - 1)), U(2 k + 1) = 2 U(k) (x U(k) - U(k - 1)).
struct ChebyshevPair {
  DoubleDouble now, before;
};

// Requires n >= 1.
TNP_HOST_DEVICE inline ChebyshevPair chebyshev_pair(int64_t n, DoubleDouble x) {
  ChebyshevPair u = {{2 * x.high, 2 * x.low}, {1, 0}};
  int bit = 62;
  while (((n >> bit) & 1) == 0) --bit;
  while (--bit >= 0) {
    const DoubleDouble even = (u.now - u.before) * (u.now + u.before);
    if ((n >> bit) & 1)
      u = {u.now * (x * u.now - u.before) * 2, even};
    else
      u = {even, u.before * (u.now - x * u.before) * 2};
  }
  return u;
}

// Above this degree the doubling's error, n^3 times 2^-105, becomes visible; cosines and sines are
// used instead.
constexpr int64_t kHighestDoubledDegree = 1 << 16;

template <Chebyshev kind>
TNP_HOST_DEVICE inline double chebyshev_by_angle(int64_t n, double x) {
  const double angle = std::acos(x), degree = static_cast<double>(n);
  if constexpr (kind == Chebyshev::T) return std::cos(degree * angle);
  if constexpr (kind == Chebyshev::U) return std::sin((degree + 1) * angle) / std::sin(angle);
  if constexpr (kind == Chebyshev::V) return std::cos((degree + 0.5) * angle) / std::cos(angle / 2);
  return std::sin((degree + 0.5) * angle) / std::sin(angle / 2);
}

// The Chebyshev polynomial at a double-double x. The shifted polynomials need this, since their
// argument 2 x - 1 is not always a double.
template <Chebyshev kind>
TNP_HOST_DEVICE inline double chebyshev(int64_t n, DoubleDouble x) {
  if (n < 0) return 0;
  if (n == 0) return 1;
  const bool even = n % 2 == 0;
  const double degree = static_cast<double>(n), wide = 2 * degree + 1;
  if (std::abs(x.high) == 1 && x.low == 0) {
    const bool right = x.high > 0;
    if constexpr (kind == Chebyshev::T) return right || even ? 1 : -1;
    if constexpr (kind == Chebyshev::U) return right || even ? degree + 1 : -(degree + 1);
    if constexpr (kind == Chebyshev::V) return right ? 1 : even ? wide : -wide;
    if constexpr (kind == Chebyshev::W) return right ? wide : even ? 1 : -1;
  }
  if (n > kHighestDoubledDegree && std::abs(x.high) < 1) return chebyshev_by_angle<kind>(n, x.high);
  const ChebyshevPair u = chebyshev_pair(n, x);
  DoubleDouble value = u.now;
  if constexpr (kind == Chebyshev::T) value = u.now - x * u.before;
  if constexpr (kind == Chebyshev::V) value = u.now - u.before;
  if constexpr (kind == Chebyshev::W) value = u.now + u.before;
  if (std::isfinite(value.high)) return value.high;
  return x.high > 0 || (x.high < 0 && even) ? kInfinity : x.high < 0 ? -kInfinity : kNaN;
}

}  // namespace tnp::special
