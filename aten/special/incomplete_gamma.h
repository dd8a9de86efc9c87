// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
//
// Computes the smaller of the two, chosen by a and x. For large a and x near a, by Temme's uniform
// expansion in error functions (NIST DLMF 8.12; Temme, SIAM J. Math. Anal. 10 (1979) 757-766).
// Otherwise P by its series (8.7.1), and Q by a continued fraction (8.9.2) or, for small x, by the
// complement of the series (8.7.3). Methods and their ranges: Gil, Segura and Temme, SIAM J. Sci.
// Comput. 34 (2012) A2965-A2981.
#pragma once

#include "aten/special/error_functions.h"
#include "aten/special/gamma.h"
#include "aten/special/gamma_prefix.h"
#include "aten/special/lgam1p_tables.h"
#include "aten/special/temme_tables.h"

namespace tnp::special {

// log(Gamma(1 + a)) for a up to 1.
TNP_HOST_DEVICE inline DoubleDouble log_gamma_1p(double a) {
  if (a <= 0.5) return lgam1p_small({2 * a, 0}) * a;
  return log_double({a, 0}) + lgam1p_small({2 * (a - 1), 0}) * (a - 1);
}

// exp(x) - 1
TNP_HOST_DEVICE inline DoubleDouble expm1_double(DoubleDouble x) {
  if (std::abs(x.high) > 0.5) {
    const double value = std::expm1(x.high);
    return {value, x.low * (1 + value)};
  }
  TNP_TABLE double c[] = {1,
                          1.0 / 2,
                          1.0 / 6,
                          1.0 / 24,
                          1.0 / 120,
                          1.0 / 720,
                          1.0 / 5040,
                          1.0 / 40320,
                          1.0 / 362880,
                          1.0 / 3628800,
                          1.0 / 39916800,
                          1.0 / 479001600,
                          1.0 / 6227020800,
                          1.0 / 87178291200,
                          1.0 / 1307674368000,
                          1.0 / 20922789888000};
  return compensated_horner(x, c) * x;
}

// P by its series, summed from the last term with compensation. A first pass determines the number
// of terms.
TNP_HOST_DEVICE inline DoubleDouble gamma_series(double a, double x) {
  int terms = 1;
  for (double term = 1; terms < 3000; ++terms) {
    term *= x / (a + terms);
    if (term < 1e-18) break;
  }
  double sum = 1, lost = 0;
  for (int k = terms; k > 0; --k) {
    const DoubleDouble divisor = two_sum(a, k);
    const double ratio = x / divisor.high;
    const double ratio_low = (std::fma(-ratio, divisor.high, x) - ratio * divisor.low) / divisor.high;
    const DoubleDouble product = two_product(ratio, sum), next = two_sum(1, product.high);
    lost = ratio * lost + (ratio_low * sum + (product.low + next.low));
    sum = next.high;
  }
  const Corrected prefix = gamma_prefix(a, x);
  return prefix.value * DoubleDouble{sum, lost + sum * prefix.correction};
}

// Q for small x, as 1 - P with the leading 1 cancelled analytically: 1 - x^a / Gamma(1 + a) (1 + a
// sum), where sum is that of (-x)^k / (k! (a + k)) over k >= 1. Both parts may have either sign.
TNP_HOST_DEVICE inline DoubleDouble gamma_excess(double a, double x) {
  double tail = 0;
  for (int k = 20; k > 4; --k) tail = (1 / (a + k) - x * tail) / k;
  DoubleDouble sum = {tail, 0};
  for (int k = 4; k > 0; --k) sum = (DoubleDouble{1, 0} / two_sum(a, k) - sum * x) / k;
  const DoubleDouble power = expm1_double(log_double({x, 0}) * a - log_gamma_1p(a));
  return (power + 1) * (sum * x) * a - power;
}

// The number of terms that the continued fraction needs, determined by Lentz's algorithm.
TNP_HOST_DEVICE inline int gamma_fraction_terms(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b;
  int k = 1;
  for (; k < 3000; ++k) {
    const double term = -k * (k - a);
    b += 2;
    d = term * d + b;
    c = b + term / c;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = std::abs(c) < tiny ? tiny : c;
    if (c * d == 1) break;
  }
  return k + k / 8 + 2;
}

// Q by the continued fraction, evaluated from the end with compensation.
TNP_HOST_DEVICE inline DoubleDouble gamma_fraction(double a, double x) {
  const DoubleDouble difference = two_sum(x, -a);
  DoubleDouble value = {0, 0};
  for (int k = gamma_fraction_terms(a, x); k >= 0; --k) {
    const DoubleDouble b = two_sum(difference.high, 2.0 * k + 1), factor = two_sum(a, -(k + 1.0));
    const DoubleDouble term = two_product(factor.high, k + 1);
    DoubleDouble quotient = {0, 0};
    if (value.high != 0) {
      quotient.high = term.high / value.high;
      quotient.low = (std::fma(-quotient.high, value.high, term.high) + (term.low + factor.low * (k + 1)) -
                      quotient.high * value.low) /
                     value.high;
    }
    const DoubleDouble sum = two_sum(b.high, quotient.high);
    value = {sum.high, sum.low + (b.low + difference.low + quotient.low)};
  }
  const Corrected prefix = gamma_prefix(a, x);
  const double quotient = a / value.high, rest = std::fma(-quotient, value.high, a) / value.high;
  return prefix.value * DoubleDouble{quotient, rest + quotient * (prefix.correction - value.low / value.high)};
}

// Temme's expansion: exp(-a eta^2 / 2) times erfcx and the series. Returns the smaller of P and Q:
// Q for x >= a, P for x < a.
TNP_HOST_DEVICE inline DoubleDouble temme(double a, double x) {
  const DoubleDouble exponent = gamma_exponent(a, x);
  const double z = std::sqrt(-exponent.high), eta = std::copysign(z * std::sqrt(2 / a), x - a);
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
  const double rest = sum / std::sqrt(2 * kPi * a), z_low = (std::fma(-z, z, -exponent.high) - exponent.low) / (2 * z);
  const DoubleDouble scaled = erfcx_pair(DoubleDouble{z, z > 0 ? z_low : 0});
  const DoubleDouble value = two_sum(0.5 * scaled.high, x >= a ? rest : -rest);
  return std::exp(exponent.high) * DoubleDouble{value.high, value.low + 0.5 * scaled.low + value.high * exponent.low};
}

// Q if `upper`, otherwise P. As in PyTorch, NaN outside of the domain and for a = x = 0.
TNP_HOST_DEVICE inline double incomplete_gamma(double a, double x, bool upper) {
  if (!(x >= 0 && a >= 0)) return kNaN;
  const double zero = upper ? 1 : 0, one = upper ? 0 : 1;  // the results where P = 0 and where P = 1
  if (a == 0) return x > 0 ? one : kNaN;
  if (x == 0) return zero;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : zero;
  if (std::isinf(x)) return one;
  const double mu = (x - a) / a;
  DoubleDouble value;
  bool is_upper = x >= a;
  if (a > 20 && mu > -0.5 && mu < 0.8 && (a > 100 || std::abs(mu) < 0.3)) {
    value = temme(a, x);
  } else if (x <= 1.1) {
    is_upper = !(x <= 0.5 ? -0.4 / std::log(x) < a : x / 1.1 < a);
    value = is_upper ? gamma_excess(a, x) : gamma_series(a, x);
  } else {
    is_upper = x > a;
    value = is_upper ? gamma_fraction(a, x) : gamma_series(a, x);
  }
  return is_upper == upper ? value.high + value.low : (1 - value.high) - value.low;
}

}  // namespace tnp::special
