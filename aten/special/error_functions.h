// The scaled error function erfcx, functions derived from it, and inverse error functions.
#pragma once

#include "aten/special/erfcx_tables.h"
#include "aten/special/erfinv_tables.h"

namespace tnp::special {

// Functions rather than constants: device code cannot use host constants of class type.
TNP_HOST_DEVICE inline DoubleDouble sqrt_half() { return {0.7071067811865476, -4.833646656726457e-17}; }
TNP_HOST_DEVICE inline DoubleDouble inverse_sqrt_pi() { return {0.5641895835477563, 7.66772980658294e-18}; }
TNP_HOST_DEVICE inline DoubleDouble sqrt_two() { return {1.4142135623730951, -9.667293313452913e-17}; }

// exp(x^2) erfc(x) for x >= 0. Piecewise below 10, and by the asymptotic series from 10 on (NIST
// DLMF 7.12.1).
TNP_HOST_DEVICE inline DoubleDouble erfcx_pair(double x) {
  if (x < 0.5) return erfcx_0_1(4 * x - 1);
  if (x < 1.25) return erfcx_1_2((x - 0.875) / 0.375);
  if (x < 2.5) return erfcx_2_3((x - 1.875) / 0.625);
  if (x < 5) return erfcx_3_4((x - 3.75) / 1.25);
  if (x < 10) return erfcx_4_5((x - 7.5) / 2.5);
  if (x > 1e300) return {inverse_sqrt_pi().high / x, 0};
  const DoubleDouble first = inverse_sqrt_pi() / x;
  return x < 1e10 ? first * erfcx_tail(1 / (x * x)) : first;
}

// The same for a double-double x. Corrects the value at x.high with the derivative 2 x erfcx(x) - 2
// / sqrt(pi).
TNP_HOST_DEVICE inline DoubleDouble erfcx_pair(DoubleDouble x) {
  const DoubleDouble value = erfcx_pair(x.high);
  return {value.high, value.low + 2 * x.low * (x.high * value.high - inverse_sqrt_pi().high)};
}

// Uses the reflection formula for negative x.
TNP_HOST_DEVICE inline double erfcx(double x) {
  if (x < 0) {
    if (x < -26.7) return kInfinity;
    const DoubleDouble square = two_product(x, x), rest = erfcx_pair(-x);
    const double power = 2 * std::exp(square.high);
    if (std::isinf(power)) return power;
    return power + (power * square.low - rest.high);
  }
  const DoubleDouble value = erfcx_pair(x);
  return value.high + value.low;
}

// erfc of positive x, computed from erfcx.
TNP_HOST_DEVICE inline double erfc_tail(double x) {
  if (x > 27.3) return 0;
  const DoubleDouble square = two_product(x, x), scaled = erfcx_pair(x);
  const double power = std::exp(-square.high);
  return rounded_product(power, {scaled.high, scaled.low - square.low * scaled.high});
}

// The cumulative distribution function of the normal distribution at negative x, computed from
// erfcx. erfc(-x / sqrt(2)) would magnify its argument's rounding error by x^2.
TNP_HOST_DEVICE inline DoubleDouble normal_tail(double x) {
  if (x < -38.6) return {0, 0};
  const DoubleDouble square = two_product(x, x), scaled = erfcx_pair(sqrt_half() * -x);
  const double power = 0.5 * std::exp(-0.5 * square.high);
  const DoubleDouble product = two_product(power, scaled.high);
  return {product.high, product.low + power * (scaled.low - 0.5 * square.low * scaled.high)};
}

TNP_HOST_DEVICE inline double ndtr(double x) {
  const DoubleDouble tail = normal_tail(-std::abs(x));
  return x < 0 ? tail.high + tail.low : 1 - tail.high;
}

TNP_HOST_DEVICE inline double log_ndtr(double x) {
  if (x < -1e150) return -0.5 * x * x;
  if (x < 0) {
    const DoubleDouble scaled = erfcx_pair(sqrt_half() * -x), square = two_product(x, x);
    const double logarithm = std::log(0.5 * scaled.high);
    const DoubleDouble sum = two_sum(-0.5 * square.high, logarithm);
    return sum.high + (sum.low + scaled.low / scaled.high - 0.5 * square.low);
  }
  const DoubleDouble tail = normal_tail(-x);
  return std::log1p(-tail.high) - tail.low / (1 - tail.high);
}

// erfinv(|x|) for |x| >= 3/4, given `tail` = (1 - |x|) / 2. A piecewise function of
// sqrt(-log(tail)). Below 3/4 erfinv_middle() is used: x times a polynomial in x^2.
TNP_HOST_DEVICE inline DoubleDouble erfinv_tail(double tail) {
  const double logarithm = -std::log(tail), r = std::sqrt(logarithm), low = std::fma(-r, r, logarithm) / (2 * r);
  // Adds r's rounding error times the slope, which is near 1.
  DoubleDouble y = r < 2     ? erfinv_2_3((r - 1.7) / 0.3)
                   : r < 3.5 ? erfinv_3_4((r - 2.75) / 0.75)
                   : r < 8   ? erfinv_4_5((r - 5.75) / 2.25)
                             : erfinv_5_6((r - 18) / 10);
  y.low += low;
  return y;
}

TNP_HOST_DEVICE inline DoubleDouble erfinv_middle(double x) {
  const double square = x * x;
  const DoubleDouble ratio = square < 0.25 ? erfinv_0_1(8 * square - 1) : erfinv_1_2((square - 0.40625) / 0.15625);
  return two_product(ratio.high, x) + ratio.low * x;
}

TNP_HOST_DEVICE inline double erfinv(double x) {
  const double a = std::abs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInfinity, x) : kNaN;
  if (a < 0.75) return erfinv_middle(x).high;
  const DoubleDouble y = erfinv_tail(0.5 * (1 - a));
  return std::copysign(y.high + y.low, x);
}

// The inverse of ndtr: ndtr(x) = p.
TNP_HOST_DEVICE inline double ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInfinity : p == 1 ? kInfinity : kNaN;
  if (p > 0.125 && p < 0.875) {
    const DoubleDouble x = two_sum(2 * p, -1);
    DoubleDouble y = erfinv_middle(x.high);
    if (x.low != 0) y.low += x.low * 0.886226925452758 * std::exp(y.high * y.high);
    return (y * sqrt_two()).high;
  }
  const DoubleDouble y = erfinv_tail(p < 0.5 ? p : 1 - p) * sqrt_two();
  return p < 0.5 ? -y.high : y.high;
}

}  // namespace tnp::special
