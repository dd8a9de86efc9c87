// asin, acos, atan, atan2. Minimax polynomials (Sollya's fpminimax). The reductions are those of S.
// L. Moshier's Cephes (atan: angles of pi/4 and pi/2) and of FreeBSD's msun (asin: the half angle),
// with rounding errors carried separately.
#pragma once

#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/vector.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

inline constexpr double kQuarterPi = 0x1.921fb54442d18p-1, kQuarterPiLow = 0x1.1a62633145c07p-55;
inline constexpr double kHalfPi = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54;
inline constexpr double kPi = 0x1.921fb54442d18p1, kPiLow = 0x1.1a62633145c07p-53;

TNP_INLINE Doubles atan_tail(Doubles z) {  // (atan(t) / t - 1) / z, z = t^2, |t| <= tan(pi / 8)
  return polynomial(z, -0x1.5555555555555p-2, 0x1.9999999999815p-3, -0x1.2492492481cb2p-3, 0x1.c71c71bca7f6bp-4,
                    -0x1.745d1567cab1fp-4, 0x1.3b137c1c13a14p-4, -0x1.110d2e7b73598p-4, 0x1.e17f2d883c5cp-5,
                    -0x1.abcbc71fa3461p-5, 0x1.7214691d11142p-5, -0x1.14b79fd941692p-5, 0x1.fb671f0bfad8dp-7);
}
TNP_INLINE Doubles atan_tail_for_floats(Doubles z) {
  return polynomial(z, -0x1.5555555507325p-2, 0x1.99999835e7bd9p-3, -0x1.2491c4c808368p-3, 0x1.c6f7556276b17p-4,
                    -0x1.71dc9caf3fe43p-4, 0x1.247037e9240afp-4, -0x1.4be35902bf2b3p-5);
}

// The angle of the point (x, y), whose coordinates are not negative: `from` + angle, or `from` -
// angle in lanes where `backwards` is set.
TNP_INLINE Doubles angle_of(Doubles y, Doubles x, Pair<Doubles> from, Signed<Doubles> backwards) {
  // Slopes of pi/8 and 3 pi/8.
  constexpr double low_slope = 0x1.a827999fcef32p-2, high_slope = 0x1.3504f333f9de6p1;
  const auto above = y > x * low_slope, beyond = y > x * high_slope;
  const Pair<Doubles> difference = sum(y, -x), both = sum(y, x);
  Doubles dividend = above ? difference.high : y, divisor = above ? both.high : x;
  dividend = beyond ? -x : dividend;
  divisor = beyond ? y : divisor;
  const auto diagonal = above & ~beyond;
  const Doubles dividend_low = diagonal ? difference.low : Doubles{}, divisor_low = diagonal ? both.low : Doubles{};
  const Doubles reciprocal = 1.0 / divisor, t = dividend * reciprocal;
  const Doubles t_low = (remainder_of(dividend, t, divisor) + (dividend_low - t * divisor_low)) * reciprocal;
  const Doubles z = t * t;
  const Doubles tail = mad(t * z, atan_tail(z), mad(-z, t_low, t_low));

  Doubles base = above ? splat<Doubles>(kQuarterPi) : Doubles{},
          base_low = above ? splat<Doubles>(kQuarterPiLow) : Doubles{};
  base = beyond ? splat<Doubles>(kHalfPi) : base;
  base_low = beyond ? splat<Doubles>(kHalfPiLow) : base_low;
  // `from` +- (base + t). `from` is 0 or pi; the first sum is exact.
  const Signed<Doubles> sign = backwards & std::numeric_limits<int64_t>::min();
  const Doubles start = from.high + flip_sign(base, sign), start_low = from.low + flip_sign(base_low, sign);
  const Pair<Doubles> s = ordered_sum(start, flip_sign(t, sign));
  return s.high + (s.low + (start_low + flip_sign(tail, sign)));
}
TNP_INLINE Doubles atan(Doubles x) {
  const Doubles angle =
      angle_of(at_most(absolute(x), 0x1p64), splat<Doubles>(1.0), {Doubles{}, Doubles{}}, Signed<Doubles>{});
  return with_sign(absolute(x) < 0x1p-27 ? x : angle, x);
}
TNP_INLINE Doubles atan2(Doubles y, Doubles x) {
  const Doubles across = absolute(x), up = absolute(y);
  const Signed<Doubles> left = (bits(x) < 0);
  const Doubles pi = splat<Doubles>(kPi), pi_low = splat<Doubles>(kPiLow);
  Doubles result = angle_of(up, across, {left ? pi : Doubles{}, left ? pi_low : Doubles{}}, left);
  result = with_sign(result, y);
  // Operands that might overflow or lose digits in intermediate results, infinities, NaNs and zeros
  // go to the C library.
  const auto regular = (across > 0x1p-500) & (across < 0x1p500) & (up > 0x1p-500) & (up < 0x1p500);
  if (TNP_UNLIKELY(any(~regular)))
    replace_lanes(result, Signed<Doubles>(~regular), [](double b, double a) { return std::atan2(b, a); }, y, x);
  return result;
}

TNP_INLINE Doubles asin_tail(Doubles z) {  // (asin(s) / s - 1) / z, z = s^2 <= 1/4
  return polynomial(z, 0x1.5555555555556p-3, 0x1.3333333332d9ep-4, 0x1.6db6db6e48dffp-5, 0x1.f1c71c1187eddp-6,
                    0x1.6e8bb383c0ebbp-6, 0x1.1c4d0fc1b6fbbp-6, 0x1.c9d336dfa2933p-7, 0x1.77ff42ac1dfb4p-7,
                    0x1.53365248bd332p-7, 0x1.5dc12cf8ad297p-8, 0x1.224dcb11ab156p-6, -0x1.f6744b4ca8339p-7,
                    0x1.dc690516bc887p-6);
}
TNP_INLINE Doubles asin_tail_for_floats(Doubles z) {
  return polynomial(z, 0x1.55555554dfe73p-3, 0x1.333334fb3cdap-4, 0x1.6db5b93d652fcp-5, 0x1.f20d2abdad763p-6,
                    0x1.6a6d493b69097p-6, 0x1.3d712e8c2afa5p-6, 0x1.57839e03a8cf8p-8, 0x1.e3eee18cdd221p-6);
}
// asin(s) as s + rest, with s^2 <= 1/4. If |x| > 1/2 (`halved`), s is sin(pi/4 - asin(|x|)/2).
struct HalfAngle {
  Signed<Doubles> halved;
  Doubles s, rest;
};
TNP_INLINE HalfAngle half_angle(Doubles magnitude) {
  const auto halved = magnitude > 0.5;
  const Doubles z = halved ? mad(magnitude, -0.5, 0.5) : magnitude * magnitude;
  const Doubles root = square_root(z), s = halved ? root : magnitude;
  const Doubles root_low = remainder_of(z, root, root) / (root + (root + 0x1p-1000));
  return {halved, s, mad(s * z, asin_tail(z), halved ? root_low : Doubles{})};
}
TNP_INLINE Doubles asin(Doubles x) {
  const HalfAngle a = half_angle(absolute(x));
  const Pair<Doubles> s = ordered_sum(splat<Doubles>(kHalfPi), a.s * -2.0);
  const Doubles far = s.high + (s.low + mad(a.rest, -2.0, kHalfPiLow));
  return with_sign(a.halved ? far : a.s + a.rest, x);
}
TNP_INLINE Doubles acos(Doubles x) {
  const HalfAngle a = half_angle(absolute(x));
  const auto left = x < 0.0;
  // pi/2 - asin(x), 2 asin(s), or pi - 2 asin(s)
  const auto halved_right = a.halved & ~left;
  constexpr double factor = 2;
  const Doubles s = a.halved ? a.s * factor : a.s, rest = a.halved ? a.rest * factor : a.rest;
  const Doubles start = a.halved ? splat<Doubles>(kPi) : splat<Doubles>(kHalfPi);
  const Doubles start_low = a.halved ? splat<Doubles>(kPiLow) : splat<Doubles>(kHalfPiLow);
  const auto add = a.halved ? halved_right : left;
  const Doubles base = halved_right ? Doubles{} : start, base_low = halved_right ? Doubles{} : start_low;
  const Pair<Doubles> t = ordered_sum(base, add ? s : -s);
  return t.high + (t.low + (base_low + (add ? rest : -rest)));
}

// The angle of the point (x, y) for floats, computed in double.
TNP_INLINE Doubles angle_in_double(Doubles y, Doubles x) {
  constexpr double low_slope = 0x1.a827999fcef32p-2, high_slope = 0x1.3504f333f9de6p1;
  const auto above = y > x * low_slope, beyond = y > x * high_slope;
  Doubles dividend = above ? y - x : y, divisor = above ? y + x : x;
  dividend = beyond ? -x : dividend;
  divisor = beyond ? y : divisor;
  const Doubles t = dividend / divisor, z = t * t;
  Doubles base = above ? splat<Doubles>(kQuarterPi) : Doubles{};
  base = beyond ? splat<Doubles>(kHalfPi) : base;
  return base + mad(t * z, atan_tail_for_floats(z), t);
}
TNP_INLINE Doubles atan_in_double(Doubles x) {
  return with_sign(angle_in_double(at_most(absolute(x), 0x1p64), splat<Doubles>(1.0)), x);
}
TNP_INLINE Doubles atan2_in_double(Doubles y, Doubles x) {
  const Doubles angle = angle_in_double(absolute(y), absolute(x));
  Doubles result = with_sign((bits(x) < 0) ? kPi - angle : angle, y);
  const auto regular = (absolute(x) < kInfinity<double>)&(absolute(y) < kInfinity<double>)&((x != 0.0) | (y != 0.0));
  if (TNP_UNLIKELY(any(~regular)))
    replace_lanes(result, Signed<Doubles>(~regular), [](double b, double a) { return std::atan2(b, a); }, y, x);
  return result;
}
TNP_INLINE Doubles asin_in_double(Doubles x) {
  const Doubles magnitude = absolute(x);
  const auto halved = magnitude > 0.5;
  const Doubles z = halved ? mad(magnitude, -0.5, 0.5) : magnitude * magnitude, s = halved ? square_root(z) : magnitude;
  const Doubles angle = mad(s * z, asin_tail_for_floats(z), s);
  return with_sign(halved ? mad(angle, -2.0, kHalfPi) : angle, x);
}
TNP_INLINE Doubles acos_in_double(Doubles x) {
  const Doubles magnitude = absolute(x);
  const auto halved = magnitude > 0.5;
  const Doubles z = halved ? mad(magnitude, -0.5, 0.5) : magnitude * magnitude, s = halved ? square_root(z) : magnitude;
  const Doubles angle = mad(s * z, asin_tail_for_floats(z), s);
  const auto left = x < 0.0;
  const Doubles far = left ? mad(angle, -2.0, kPi) : angle * 2.0;
  return halved ? far : kHalfPi + (left ? angle : -angle);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
