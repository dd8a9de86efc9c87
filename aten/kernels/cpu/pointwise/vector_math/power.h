// pow: 2^(y log2(x)) with log2(x) as a pair with error about 2^-65; cbrt.
#pragma once

#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/logarithm.h"
#include "aten/kernels/cpu/pointwise/vector_math/pow_table.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// 2^(high + low), |high| < 4,000.
TNP_INLINE Doubles exp2_of(Pair<Doubles> x) {
  const Doubles high = clamp(x.high, ExpConstants<double>::most_of_exp2);
  const Doubles n = (high + kRounder<double>)-kRounder<double>, r = high - n;
  const Pair<Doubles> p = times({r, x.low}, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  const Pair<Doubles> e = exp_pair(p.high, p.low);
  return scale(e.high + e.low, n);
}
TNP_INLINE Doubles pow_of(Split<Doubles> x, Doubles y) {
  const Pair<Doubles> l = log2_pair(x), p = product(l.high, y);
  // Beyond overflow the low part is meaningless.
  const Doubles low = absolute(p.high) < 1200.0 ? mad(l.low, y, p.low) : Doubles{};
  return exp2_of({p.high, low});
}

// (-1)^y for integers y, else NaN: the factor for a negative base.
template <class V>
TNP_INLINE V sign_of_power(V y) {
  using T = Element<V>;
  constexpr T first_even = T(uint64_t(1) << (kMantissaBits<T> + 1));  // from here on all numbers are even
  const V magnitude = absolute(y), safe = magnitude < first_even ? magnitude : V{};
  constexpr T up = T(uint64_t(1) << kMantissaBits<T>);
  auto round = [](V v) { return (v + up) - up; };
  const auto whole = (magnitude >= up) | (round(safe) == safe);
  const V half = safe * T(0.5);
  const V sign = round(half) == half ? splat<V>(T(1)) : splat<V>(T(-1));
  return whole ? sign : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

TNP_INLINE Doubles pow(Doubles x, Doubles y) {
  Doubles result;
  const Doubles magnitude = absolute(x);
  if (TNP_LIKELY(!any(is_unusual(x) | Signed<Doubles>(!(absolute(y) < 0x1p60))))) {
    result = pow_of(split_exponent(x), y);
  } else {
    result = pow_of(split_any_exponent(magnitude), y);
    result = x < 0.0 ? result * sign_of_power(y) : result;
    // Zeros, infinities and NaNs, and exponents for which intermediate products overflow.
    const auto special = ~((magnitude > 0.0) & (magnitude < kInfinity<double>)&(absolute(y) < 0x1p60));
    if (any(Signed<Doubles>(special)))
      replace_lanes(result, Signed<Doubles>(special), [](double a, double b) { return std::pow(a, b); }, x, y);
  }
  return result;
}

// An exponent that is a multiple of 1/2 between -4 and 4, e.g. x ** -1.5. Products and a square
// root take a third of a general power's time.
struct HalfInteger {
  int times;
  bool half, inverse;
};
// No product loses digits in this range.
inline constexpr double kLeastOfHalves = 0x1p-200, kMostOfHalves = 0x1p200;
// Products, root and reciprocal carry their rounding errors along. So the result is rounded only
// once, except for errors of 2^-100. Source: T. Ogita, S. M. Rump and S. Oishi, SIAM J. Sci.
// Comput. 26 (2005) 1955.
TNP_INLINE Doubles pow_by_halves(Doubles x, HalfInteger y) {
  Pair<Doubles> power = {x, Doubles{}};
  if (y.half) {
    const Doubles root = square_root(x);
    power = {root, remainder_of(x, root, root) / (root + root)};
  }
  for (int k = y.half ? 0 : 1; k < y.times; ++k) {
    const Pair<Doubles> next = product(power.high, x);
    power = {next.high, mad(power.low, x, next.low)};
  }
  if (!y.inverse) return power.high + power.low;
  const Doubles quotient = 1.0 / power.high;
  const Doubles rest = mad(-quotient, power.low, remainder_of(splat<Doubles>(1.0), quotient, power.high));
  return mad(quotient, rest, quotient);
}
TNP_INLINE Doubles pow_by_halves_in_double(Doubles x, HalfInteger y) {
  Doubles power = y.half ? square_root(x) : splat<Doubles>(1.0);
  for (int k = 0; k < y.times; ++k) power *= x;
  return y.inverse ? 1.0 / power : power;
}

// cbrt(2^r m) with error 2^-16, for r = -1, 0, 1 and m in [sqrt(1/2), sqrt(2)).
TNP_INLINE Doubles first_cbrt(Doubles m, Doubles r) {
  const Doubles root = polynomial(m, 0x1.ce7fee14210cap-2, 0x1.cf47b82a59deep-1, -0x1.12429aa4ad7fbp-1,
                                  0x1.bc53eeff8eccbp-3, -0x1.35981c42016c3p-5);
  return root * (r == 0.0  ? splat<Doubles>(1.0)
                 : r > 0.0 ? splat<Doubles>(0x1.428a2f98d728bp0)
                           : splat<Doubles>(0x1.965fea53d6e3dp-1));
}
// A polynomial, a step of Halley's method, then a step of Newton's method with the exact residual.
TNP_INLINE Doubles cbrt(Doubles x) {
  const Doubles magnitude = absolute(x);
  const Signed<Doubles> unusual = is_unusual(magnitude);
  const auto have_unusual = any(unusual);
  Split<Doubles> split = TNP_UNLIKELY(have_unusual) ? split_any_exponent(magnitude) : split_exponent(magnitude);
  // k = 3 q + r, r = -1, 0, 1
  const Doubles q = mad(split.k, 0x1.5555555555555p-2, kRounder<double>) - kRounder<double>, r = mad(q, -3.0, split.k);
  const Doubles m = split.m * (r == 0.0 ? splat<Doubles>(1.0) : r > 0.0 ? splat<Doubles>(2.0) : splat<Doubles>(0.5));
  Doubles t = first_cbrt(split.m, r);
  const Doubles cube = t * t * t;
  t = t * (cube + (m + m)) / (cube + cube + m);
  const Pair<Doubles> square = product(t, t), third = product(square.high, t);
  const Doubles residual = ((m - third.high) - third.low) - square.low * t;
  const Doubles root = t + residual / (square.high * 3.0);
  Doubles result = scale(root, q);
  if (TNP_UNLIKELY(have_unusual)) result = (magnitude > 0.0) & (magnitude < kInfinity<double>) ? result : x;
  return with_sign(result, x);
}

// x to the power of y for floats, computed in double.
TNP_INLINE Doubles usual_pow_in_double(Doubles x, Doubles y) {
#if TNP_HAS_TABLES_IN_REGISTERS
  return pow_by_tables(x, y);
#else
  return exp2_in_double(clamp(usual_log2_in_double(x) * y, 200.0));
#endif
}
TNP_INLINE Doubles pow_in_double(Doubles x, Doubles y) {
  Doubles result = usual_pow_in_double(absolute(x), y);
  const Signed<Doubles> unusual = is_unusual(x) | Signed<Doubles>(!(absolute(y) < kInfinity<double>));
  if (TNP_UNLIKELY(any(unusual))) {
    result = x < 0.0 ? result * sign_of_power(y) : result;
    const auto special = ~((absolute(x) > 0.0) & (absolute(x) < kInfinity<double>)&(absolute(y) < kInfinity<double>));
    if (any(Signed<Doubles>(special)))
      replace_lanes(result, Signed<Doubles>(special), [](double a, double b) { return std::pow(a, b); }, x, y);
  }
  return result;
}
TNP_INLINE Doubles cbrt_in_double(Doubles x) {
  const Doubles magnitude = absolute(x);
  const Split<Doubles> split = split_exponent(magnitude);
  const Doubles q = mad(split.k, 0x1.5555555555555p-2, kRounder<double>) - kRounder<double>, r = mad(q, -3.0, split.k);
  const Doubles m = split.m * (r == 0.0 ? splat<Doubles>(1.0) : r > 0.0 ? splat<Doubles>(2.0) : splat<Doubles>(0.5));
  Doubles t = first_cbrt(split.m, r);
  const Doubles cube = t * t * t;
  t = t * (cube + (m + m)) / (cube + cube + m);
  const Doubles root = scale(t, q);
  return with_sign((magnitude > 0.0) & (magnitude < kInfinity<double>) ? root : magnitude, x);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
