// erfcx, and what is made of it and of the C library's error functions; inverses.
#pragma once

#include "aten/special/erfcx_tables.h"
#include "aten/special/erfinv_tables.h"

namespace tnp::special {

constexpr double kSqrtHalf = 0.70710678118654752440, kRootPiInverse = 0.56418958354775628695;

// exp(x^2) erfc(x): by intervals, from 10 on by the asymptotic series (NIST DLMF 7.12.1); of negative x by reflection.
TNP_HOST_DEVICE inline double erfcx(double x) {
  if (x < 0) return x < -26.7 ? kInfinity : 2 * exp_square(x, 1) - erfcx(-x);
  if (x < 0.5) return erfcx_0_1(4 * x - 1);
  if (x < 1.25) return erfcx_1_2((x - 0.875) / 0.375);
  if (x < 2.5) return erfcx_2_3((x - 1.875) / 0.625);
  if (x < 5) return erfcx_3_4((x - 3.75) / 1.25);
  if (x < 10) return erfcx_4_5((x - 7.5) / 2.5);
  return x < 1e10 ? kRootPiInverse / x * erfcx_tail(1 / (x * x)) : kRootPiInverse / x;
}

// The distribution function of the normal distribution. Its tail by erfcx: erfc(-x / sqrt(2)) would have the rounding
// of its argument, magnified by x^2.
TNP_HOST_DEVICE inline double ndtr(double x) {
  if (x < -1) return x < -38.6 ? 0 : 0.5 * exp_square(x, -0.5) * erfcx(-x * kSqrtHalf);
  return 0.5 * std::erfc(-x * kSqrtHalf);
}

TNP_HOST_DEVICE inline double log_ndtr(double x) {
  if (x < -1) return std::log(0.5 * erfcx(-x * kSqrtHalf)) - 0.5 * x * x;
  return std::log1p(-ndtr(-x));
}

// erfinv(x), where 1 - |x| is 2 `tail`: x times a polynomial in x^2 up to 3/4, then a function of sqrt(-log(tail)), by
// intervals.
TNP_HOST_DEVICE inline double erfinv(double x, double tail) {
  const double square = x * x;
  if (square < 0.25) return x * erfinv_0_1(8 * square - 1);
  if (square < 0.5625) return x * erfinv_1_2((square - 0.40625) / 0.15625);
  const double r = std::sqrt(-std::log(tail));
  const double y = r < 2     ? erfinv_2_3((r - 1.7) / 0.3)
                   : r < 3.5 ? erfinv_3_4((r - 2.75) / 0.75)
                   : r < 8   ? erfinv_4_5((r - 5.75) / 2.25)
                             : erfinv_5_6((r - 18) / 10);
  return std::copysign(y, x);
}

TNP_HOST_DEVICE inline double erfinv(double x) {
  const double a = std::abs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInfinity, x) : kNaN;
  return erfinv(x, 0.5 * (1 - a));
}

// The x of which ndtr is p.
TNP_HOST_DEVICE inline double ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInfinity : p == 1 ? kInfinity : kNaN;
  return 1.41421356237309504880 * erfinv(2 * p - 1, p < 0.5 ? p : 1 - p);
}

}  // namespace tnp::special
