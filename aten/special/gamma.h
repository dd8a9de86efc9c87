// digamma, and zeta of Hurwitz, of which the other derivatives of log(Gamma) are made.
#pragma once

#include "aten/special/digamma_tables.h"

namespace tnp::special {

// tan(pi x) for a fraction x of an integer, which pi x would lose the digits of.
TNP_HOST_DEVICE inline double tan_pi(double x) { return std::tan(kPi * (x - std::nearbyint(x))); }

// Between 1 and 2 by the distance from the root, so that its digits stay; from there on by intervals, and from 10 on by
// the asymptotic series (NIST DLMF 5.11.2). Below 1 by recurrence, below 0 by reflection (5.5.2, 5.5.4).
TNP_HOST_DEVICE inline double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    return digamma(1 - x) - kPi / tan_pi(x);
  }
  if (x < 1) {
    // x + 1 - root, without rounding x + 1 first
    if (x > 0.4 && x < 0.53) return (x - 0.4616321449683622 - 9.549995429965697e-17) * digamma_1_2(2 * x - 1) - 1 / x;
    return digamma(x + 1) - 1 / x;
  }
  if (x < 2) return ((x - 1.4616321449683622) - 9.549995429965697e-17) * digamma_1_2(2 * x - 3);
  if (x < 3) return digamma_2_3(2 * x - 5);
  if (x < 5) return digamma_3_5(x - 4);
  if (x < 10) return digamma_5_10((x - 7.5) * 0.4);
  const double u = 1 / (x * x);
  return x < 1e17 ? std::log(x) - (0.5 / x + u * digamma_tail(u)) : std::log(x);
}

// (q + k)^s, with what the sum's rounding lost: s is its factor.
TNP_HOST_DEVICE inline double power_of_sum(double q, double k, double s) {
  const double sum = q + k, part = sum - k, lost = (q - part) + (k - (sum - part));
  return std::pow(sum, s) * (1 + s * lost / sum);
}

// The sum of (q + k)^-s. Ten terms and Euler's and Maclaurin's formula for the others; of small terms first. Of
// non-positive q the powers are those of negative numbers, which an integer s has. Source: Cephes (zeta.c), whose
// domain it is, too.
TNP_HOST_DEVICE inline double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (s < 1) return kNaN;
  if (q != q || s != s) return q + s;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNaN;
  }
  if (q > 1e8) return (1 / (s - 1) + 1 / (2 * q)) * std::pow(q, 1 - s);
  constexpr int kTerms = 10;
  double more = 0;
  // What is left of q negative is added until the terms are those of positive numbers.
  for (; q < 0; q += 1) more += std::pow(q, -s);
  const double a = q + kTerms, power = power_of_sum(q, kTerms, -s);
  double t = power / a, rest = 0, factor = 1, k = 0;
  TNP_TABLE double coefficients[] = {0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
                                     -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
                                     1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
                                     -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19};
  for (double c : coefficients) {  // s (s + 1) ... (s + 2 k - 2) / a^(s + 2 k - 1)
    factor *= s + k;
    const double term = c * factor * t;
    rest += term;
    if (std::abs(term) < 1e-18 * std::abs(rest)) break;
    factor *= s + k + 1;
    t /= a * a;
    k += 2;
  }
  double sum = (rest + 0.5 * power) + power * a / (s - 1);
  for (int i = kTerms - 1; i > 0; --i) sum += power_of_sum(q, i, -s);
  sum += std::pow(q, -s);
  return sum + more;
}

// (-1)^(n+1) n! zeta(n + 1, x); NIST DLMF 25.11.12. Of x < 1/2, n = 1, by reflection, which has digits to spare.
TNP_HOST_DEVICE inline double trigamma(double x) {
  if (x < 0.5) {
    if (x == std::floor(x)) return kInfinity;
    const double sine = std::sin(kPi * (x - std::nearbyint(x)));
    const double ratio = kPi / sine;
    return x > 0 ? zeta(2, x) : ratio * ratio - zeta(2, 1 - x);
  }
  return zeta(2, x);
}

TNP_HOST_DEVICE inline double polygamma(double x, double n) {
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(n + 1) * zeta(n + 1, x);
}

TNP_HOST_DEVICE inline double lgamma(double x) {
#if defined(__CUDA_ARCH__) || !defined(__GLIBC__)
  return std::lgamma(x);
#else
  int sign;  // std::lgamma writes a global variable
  return ::lgamma_r(x, &sign);
#endif
}

}  // namespace tnp::special
