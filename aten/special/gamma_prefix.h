// x^a exp(-x) / Gamma(a + 1). Its exponent is computed in double-double arithmetic, since exp
// magnifies the exponent's rounding error by the exponent's size.
#pragma once

#include "aten/special/double_double.h"
#include "aten/special/logarithm_table.h"

namespace tnp::special {

// log(x) of a positive normal x, with error 2^-78. Uses a table of inverses (Tang, ACM TOMS 16
// (1990) 378-400).
TNP_HOST_DEVICE inline DoubleDouble log_double(DoubleDouble x) {
  int exponent;
  const double m = 2 * std::frexp(x.high, &exponent);
  const LogarithmEntry entry = logarithm_entry(static_cast<int>((m - 1) * 128));
  const DoubleDouble product = two_product(m, entry.inverse);
  const double low = product.low + std::ldexp(x.low, 1 - exponent) * entry.inverse;
  const DoubleDouble z = fast_two_sum(product.high - 1, low);  // below 2^-7
  const double t = z.high;
  const double tail =
      t * t * t * (1.0 / 3 - t * (0.25 - t * (0.2 - t * (1.0 / 6 - t * (1.0 / 7 - t * (0.125 - t * (1.0 / 9)))))));
  const DoubleDouble square = z * z, logarithm = z + DoubleDouble{-0.5 * square.high, tail - 0.5 * square.low};
  const double k = exponent - 1;
  return DoubleDouble{k * 0x1.62e42fefa3800p-1, 0} +
         (DoubleDouble{entry.high, entry.low} + logarithm +
          DoubleDouble{k * 0x1.ef35793c76730p-45, k * 0x1.cc01f97b57a08p-99});
}

// Clamps a double-double exponent. Exponents below -1e4, for which exp gives 0, may have
// overflowed.
TNP_HOST_DEVICE inline DoubleDouble as_exponent(DoubleDouble x) { return x.high > -1e4 ? x : DoubleDouble{-1e4, 0}; }

// a (log(x / a) - (x - a) / a), which is -a eta^2 / 2 with Temme's eta.
TNP_HOST_DEVICE inline DoubleDouble gamma_exponent(double a, double x) {
  const DoubleDouble mu = two_sum(x, -a) / a;
  if (std::abs(mu.high) > 0x1p-7) return as_exponent((log_double(DoubleDouble{x, 0} / a) - mu) * a);
  double t = 0;
  for (int k = 11; k >= 4; --k) t = 1.0 / k - mu.high * t;
  const DoubleDouble third = DoubleDouble{1.0 / 3, 0x1.5555555555555p-56} + -mu.high * t;
  return as_exponent((mu * third + -0.5) * (mu * mu) * a);
}

// log(Gamma(a)) - ((a - 1/2) log(a) - a + log(2 pi) / 2), for a >= 10 (NIST DLMF 5.11.1).
TNP_HOST_DEVICE inline double stirling_rest(double a) {
  TNP_TABLE double c[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                          1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400};
  return horner(1 / (a * a), c) / a;
}

// Represents value * (1 + correction).
struct Corrected {
  double value, correction;
};

// x^a exp(-x) / Gamma(a + 1) by Stirling's series, which is evaluated at a + 10 if a < 10.
TNP_HOST_DEVICE inline Corrected gamma_prefix(double a, double x) {
  constexpr double kTwoPi = 2 * kPi, kTwoPiLow = 2.4492935982947064e-16;
  if (a >= 10) {
    if (x < 1e-290) return {0, 0};
    const DoubleDouble exponent = gamma_exponent(a, x);
    const double power = std::exp(exponent.high);
    if (power == 0) return {0, 0};
    const DoubleDouble square = DoubleDouble{kTwoPi, kTwoPiLow} * a;
    const double root = std::sqrt(square.high), value = power / root, lost = std::fma(-value, root, power) / power;
    const double rest = (std::fma(-root, root, square.high) + square.low) / (2 * square.high);
    return {value, exponent.low + std::expm1(-stirling_rest(a)) - rest + lost};
  }
  constexpr int kMore = 10;
  DoubleDouble product = {1, 0};
  for (int k = 1; k <= kMore; ++k) product = product * two_sum(a, k);
  const DoubleDouble large = two_sum(a, kMore), half_log_two_pi = {0.9189385332046728, -3.878294158067242e-17};
  const DoubleDouble exponent = log_double({x, 0}) * a - log_double(large) * (large + 0.5) + (large + -x) -
                                half_log_two_pi + -stirling_rest(large.high);
  if (exponent.high < -700) {  // exp would underflow although the product with it does not
    const double half = std::exp(0.5 * exponent.high);
    return {half * product.high * half, exponent.low + product.low / product.high};
  }
  const double power = std::exp(exponent.high);
  const DoubleDouble value = product * power;
  return {value.high, exponent.low + value.low / value.high};
}

}  // namespace tnp::special
