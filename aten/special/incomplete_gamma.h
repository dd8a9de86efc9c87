// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
//
// The smaller of both is computed, where a and x say which. Near x = a with a large by Temme's uniform expansion, of
// error functions (NIST DLMF 8.12; Temme, SIAM J. Math. Anal. 10 (1979) 757-766); else P by the series (8.7.1), Q by a
// continued fraction (8.9.2), or for small x by what the series has in excess of 1 (8.7.3). Methods and where they
// hold: Gil, Segura and Temme, SIAM J. Sci. Comput. 34 (2012) A2965-A2981.
#pragma once

#include "aten/special/gamma.h"
#include "aten/special/lgam1p_tables.h"
#include "aten/special/temme_tables.h"

namespace tnp::special {

// log(1 + x) - x, of which small x leave few digits.
TNP_HOST_DEVICE inline double log1p_minus(double x) {
  if (std::abs(x) > 0.4) return std::log1p(x) - x;
  // With r = x / (2 + x), log(1 + x) = 2 (r + r^3 / 3 + r^5 / 5 + ...), and 2 r - x = -x r.
  const double r = x / (2 + x), square = r * r;
  double sum = 0;
  for (int k = 27; k >= 3; k -= 2) sum = sum * square + 2.0 / k;
  return r * (square * sum - x);
}

// log(Gamma(1 + x)), near 0 too.
TNP_HOST_DEVICE inline double log_gamma_1p(double x) {
  return std::abs(x) <= 0.5 ? x * lgam1p_small(2 * x) : lgamma(1 + x);
}

// log(Gamma(a)) less (a - 1/2) log(a) - a + log(2 pi) / 2, for a from 10 on.
TNP_HOST_DEVICE inline double stirling_rest(double a) {
  TNP_TABLE double c[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                          1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400};
  return horner(1 / (a * a), c) / a;
}

// x^a exp(-x) / Gamma(a + 1)
TNP_HOST_DEVICE inline double gamma_prefix(double a, double x) {
  if (a < 10) {
    const double power = std::pow(x, a), decay = std::exp(-x);
    if (power > 1e-290 && decay > 1e-290)
      return power * decay * (a <= 1.5 ? std::exp(-log_gamma_1p(a)) : 1 / std::tgamma(a + 1));
    return std::exp(a * std::log(x) - x - log_gamma_1p(a));
  }
  const double mu = (x - a) / a, logarithm = mu < -0.4 ? std::log(x / a) - mu : log1p_minus(mu);
  return std::exp(a * logarithm - stirling_rest(a)) / std::sqrt(2 * kPi * a);
}

TNP_HOST_DEVICE inline double gamma_series(double a, double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 3000; ++k) {
    term *= x / (a + k);
    sum += term;
    if (term < 1e-17 * (1 + sum)) break;
  }
  return gamma_prefix(a, x) * (1 + sum);
}

// Q by the series of P with its leading 1 taken off, for small x.
TNP_HOST_DEVICE inline double gamma_excess(double a, double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 1000; ++k) {
    term *= -x / k;
    sum += term / (a + k);
    if (std::abs(term) < 1e-18 * std::abs(sum)) break;
  }
  const double logarithm = a * std::log(x), rest = log_gamma_1p(a);
  return -std::expm1(logarithm - rest) - a * std::exp(logarithm - rest) * sum;
}

// Lentz's evaluation of the continued fraction.
TNP_HOST_DEVICE inline double gamma_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < 3000; ++k) {
    const double term = -k * (k - a);
    b += 2;
    d = term * d + b;
    c = b + term / c;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = std::abs(c) < tiny ? tiny : c;
    const double factor = c * d;
    h *= factor;
    if (std::abs(factor - 1) < 1e-16) break;
  }
  return gamma_prefix(a, x) * a * h;
}

TNP_HOST_DEVICE inline double temme(double a, double x, bool upper) {
  const double mu = (x - a) / a, half = -log1p_minus(mu), eta = std::copysign(std::sqrt(2 * half), mu);
  const double u = 1 / a;
  double sum = temme_13(eta);
  sum = sum * u + temme_12(eta);
  sum = sum * u + temme_11(eta);
  sum = sum * u + temme_10(eta);
  sum = sum * u + temme_9(eta);
  sum = sum * u + temme_8(eta);
  sum = sum * u + temme_7(eta);
  sum = sum * u + temme_6(eta);
  sum = sum * u + temme_5(eta);
  sum = sum * u + temme_4(eta);
  sum = sum * u + temme_3(eta);
  sum = sum * u + temme_2(eta);
  sum = sum * u + temme_1(eta);
  sum = sum * u + temme_0(eta);
  const double sign = upper ? 1 : -1, rest = std::exp(-a * half) / std::sqrt(2 * kPi * a) * sum;
  return 0.5 * std::erfc(sign * eta * std::sqrt(0.5 * a)) + sign * rest;
}

// P if not `upper`, else Q. PyTorch's edges: NaN outside of the domain and for a = x = 0.
TNP_HOST_DEVICE inline double incomplete_gamma(double a, double x, bool upper) {
  if (!(x >= 0 && a >= 0)) return kNaN;
  const double zero = upper ? 1 : 0, one = upper ? 0 : 1;  // of P = 0 and of P = 1
  if (a == 0) return x > 0 ? one : kNaN;
  if (x == 0) return zero;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : zero;
  if (std::isinf(x)) return one;
  const double mu = (x - a) / a;
  if (a > 20 && mu > -0.5 && mu < 0.8 && (a > 100 || std::abs(mu) < 0.3)) return temme(a, x, upper);
  if (x <= 1.1) {
    const bool small_p = x <= 0.5 ? -0.4 / std::log(x) < a : x / 1.1 < a;
    if (small_p) {
      const double p = gamma_series(a, x);
      return upper ? 1 - p : p;
    }
    const double q = gamma_excess(a, x);
    return upper ? q : 1 - q;
  }
  if (x > a) {
    const double q = gamma_fraction(a, x);
    return upper ? q : 1 - q;
  }
  const double p = gamma_series(a, x);
  return upper ? 1 - p : p;
}

}  // namespace tnp::special
