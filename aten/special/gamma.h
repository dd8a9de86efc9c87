// digamma, and the Hurwitz zeta function, from which the higher derivatives of log(Gamma) are
// computed.
#pragma once

#include "aten/special/digamma_tables.h"

namespace tnp::special {

constexpr double kPiLow = 1.2246467991473532e-16;

// pi / tan(pi x), evaluated at the distance from the nearest integer, which is exact.
TNP_HOST_DEVICE inline double pi_over_tan_pi(double x) {
  const DoubleDouble angle = DoubleDouble{kPi, kPiLow} * (x - std::nearbyint(x));
  const double tangent = std::tan(angle.high), quotient = kPi / tangent;
  if (std::isinf(quotient)) return quotient;
  const double rest = std::fma(-quotient, tangent, kPi) + kPiLow - quotient * (1 + tangent * tangent) * angle.low;
  return quotient + rest / tangent;
}

// digamma(x) for x > 0. Below 1 it uses the recurrence (NIST DLMF 5.5.2). Between 1 and 2 it is
// computed from the distance to the root, so that results near the root keep their digits. Between
// 2 and 10 it is piecewise, and from 10 on it uses the asymptotic series (5.11.2).
TNP_HOST_DEVICE inline double digamma_of_positive(double x) {
  if (x < 2) {
    const bool below = x < 1;  // evaluates at x + 1, without rounding it
    const DoubleDouble distance = two_sum(x, below ? -0.4616321449683622 : -1.4616321449683622);
    const DoubleDouble value =
        digamma_1_2(below ? 2 * x - 1 : 2 * x - 3) * DoubleDouble{distance.high, distance.low - 9.549995429965697e-17};
    return below ? (x < 1e-300 ? -1 / x : (value - DoubleDouble{1, 0} / x).high) : value.high;
  }
  if (x < 10) {
    const DoubleDouble value = x < 3   ? digamma_2_3(2 * x - 5)
                               : x < 5 ? digamma_3_5(x - 4)
                                       : digamma_5_10((x - 7.5) * 0.4);
    return value.high + value.low;
  }
  const double u = 1 / (x * x);
  return x < 1e17 ? std::log(x) - (0.5 / x + u * digamma_tail(u)) : std::log(x);
}

// For x < 0 it uses the reflection formula (NIST DLMF 5.5.4). Not recursive: the device compiler
// cannot bound the stack of a recursive function.
TNP_HOST_DEVICE inline double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (!(x < 0)) return digamma_of_positive(x);
  if (x == std::floor(x)) return kNaN;
  return digamma_of_positive(1 - x) - pi_over_tan_pi(x);
}

// (q + k)^s, corrected for the rounding error of q + k. The power magnifies the relative error of q
// + k by the factor s.
TNP_HOST_DEVICE inline DoubleDouble power_of_sum(double q, double k, double s) {
  const DoubleDouble sum = two_sum(q, k);
  const double power = std::pow(sum.high, s);
  return {power, power * (s * sum.low / sum.high)};
}

// The sum of (a + k)^-s over k >= 0, times a^(s - 1), by the Euler-Maclaurin formula.
TNP_HOST_DEVICE inline DoubleDouble zeta_tail(double s, double a) {
  TNP_TABLE double coefficients[] = {0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
                                     -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
                                     1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
                                     -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19};
  double rest = 0, factor = 1 / (a * a), k = 0;
  for (double c : coefficients) {  // factor is s (s + 1) ... (s + 2 k - 2) / a^(2 k)
    factor *= s + k;
    const double term = c * factor;
    rest += term;
    if (std::abs(term) < 1e-18 * std::abs(rest)) break;
    factor *= (s + k + 1) / (a * a);
    k += 2;
  }
  const DoubleDouble less = two_sum(s, -1);
  return DoubleDouble{1, 0} / less + two_sum(0.5 / a, rest);
}

// The sum of (q + k)^-s over k >= 0. For large q it uses the Euler-Maclaurin formula. Otherwise it
// adds ten terms explicitly, smallest first, with compensated sums, and uses the formula for the
// rest. For non-positive q the terms are powers of negative numbers, which requires an integer s.
// Source: Cephes (zeta.c), also for the domain.
TNP_HOST_DEVICE inline double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (s < 1) return kNaN;
  if (q != q || s != s) return q + s;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNaN;
  }
  if (q > 10 + s) {
    const double power = std::pow(q, 1 - s);
    return rounded_product(power, zeta_tail(s, q));
  }
  constexpr int kTerms = 10;
  DoubleDouble more = {0, 0};
  // Adds the terms with negative q until the terms are those of positive numbers.
  for (; q < 0; q += 1) {
    const double power = std::pow(q, -s);
    if (std::isinf(power)) return power;
    more = more + power;
  }
  if (std::isinf(q) || std::isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  const DoubleDouble power = power_of_sum(q, kTerms, 1 - s), tail = zeta_tail(s, q + kTerms);
  DoubleDouble sum = two_product(power.high, tail.high);
  sum.low += power.high * tail.low + power.low * tail.high;
  for (int i = kTerms - 1; i > 0; --i) sum = sum + power_of_sum(q, i, -s);
  const double first = std::pow(q, -s);
  return std::isinf(first) ? first + more.high : ((sum + first) + more).high;
}

// The derivative of digamma. The n-th derivative is (-1)^(n+1) n! zeta(n + 1, x) (NIST DLMF
// 25.11.12). For n = 1 and negative x, the reflection formula (5.15.6) is used.
TNP_HOST_DEVICE inline double trigamma(double x) {
  if (x >= 0) return zeta(2, x);
  if (x == std::floor(x)) return kInfinity;
  const DoubleDouble angle = DoubleDouble{kPi, kPiLow} * (x - std::nearbyint(x));
  const double sine = std::sin(angle.high);
  const DoubleDouble ratio = DoubleDouble{kPi, kPiLow} / DoubleDouble{sine, std::cos(angle.high) * angle.low};
  return (ratio * ratio + -zeta(2, 1 - x)).high;
}

TNP_HOST_DEVICE inline double lgamma(double x) {
#if defined(__CUDA_ARCH__) || !defined(__GLIBC__)
  return std::lgamma(x);
#else
  int sign;  // unused; std::lgamma is avoided because it writes a global variable
  return ::lgamma_r(x, &sign);
#endif
}

// n! zeta(n + 1, q) for positive q where n! overflows: the exponential of a sum of logarithms.
TNP_HOST_DEVICE inline double factorial_times_zeta(double n, double q) {
  const double s = n + 1;
  if (q <= 1) return kInfinity;
  if (std::isinf(q)) return 0;
  double sum = 0;  // q^s zeta(s, q)
  if (q > 10 + s) {
    sum = q * zeta_tail(s, q).high;
  } else {
    double term = 1;
    for (double k = 1; term > 1e-17 * sum; k += 1) {
      sum += term;
      term = std::exp(-s * std::log1p(k / q));
    }
  }
  const double log_factorial = lgamma(s), log_power = s * std::log(q);
  // The difference of two large numbers that are rounded themselves. Where it is not small, the
  // result is 0 or infinite.
  return std::exp(log_factorial - log_power + std::log(sum));
}

TNP_HOST_DEVICE inline double polygamma(double x, double n) {
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  if (n > 170 && x > 0) return sign * factorial_times_zeta(n, x);
  double factorial = 1;
  if (n <= 22)  // n! is an exact double
    for (double k = 2; k <= n; k += 1) factorial *= k;
  else
    factorial = std::tgamma(n + 1);
  return sign * factorial * zeta(n + 1, x);
}

}  // namespace tnp::special
