// exp and related functions. x = n log(2) + r, |r| <= log(2) / 2 (for exp), with r as a pair, and
// exp(r) = 1 + r + r^2 q(r). Only the last addition rounds to full precision, so results are within
// 0.6 ULP. Coefficients: minimax polynomials (Sollya's fpminimax). Source of the reduction: W. J.
// Cody and W. Waite, Software Manual for the Elementary Functions (1980).
#pragma once

#include "aten/kernels/cpu/pointwise/vector_math/vector.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// (exp(r) - 1 - r) / r^2
TNP_INLINE Doubles exp_tail(Doubles r) {
  return polynomial(r, 0x1.0000000000001p-1, 0x1.5555555555558p-3, 0x1.5555555553cb8p-5, 0x1.111111110f8cbp-7,
                    0x1.6c16c178bac58p-10, 0x1.a01a01afc2249p-13, 0x1.a019b877dd295p-16, 0x1.71ddf762c3d1fp-19,
                    0x1.289221116e944p-22, 0x1.af620c5dcc12cp-26);
}
TNP_INLINE Floats exp_tail(Floats r) {
  return polynomial(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.5554e8p-5f, 0x1.120c38p-7f, 0x1.6d4e78p-10f);
}
// exp_tail(r) with an error of 2^-35, which is enough for floats.
TNP_INLINE Doubles exp_tail_for_floats(Doubles r) {
  return polynomial(r, 0x1.fffffffffc048p-2, 0x1.555555676cec3p-3, 0x1.5555556f2e37fp-5, 0x1.1110c5ebcc472p-7,
                    0x1.6c1651c61afd1p-10, 0x1.a1520c6d733a6p-13, 0x1.a15af830b227ap-16);
}
// exp_tail(r) for functions that subtract 1 from an exponential. Valid up to r = 0.52.
TNP_INLINE Doubles expm1_tail(Doubles r) {
  return polynomial(r, 0x1p-1, 0x1.5555555555555p-3, 0x1.555555555554ep-5, 0x1.111111111134dp-7, 0x1.6c16c16c1aa3dp-10,
                    0x1.a01a019edca84p-13, 0x1.a01a018d75407p-16, 0x1.71de3f4fef0b8p-19, 0x1.27e51483b19ep-22,
                    0x1.ae5198396344ep-26, 0x1.1f19bde35b7b4p-29, 0x1.7c25124d9eee2p-33);
}
TNP_INLINE Floats expm1_tail(Floats r) {
  return polynomial(r, 0x1p-1f, 0x1.55556p-3f, 0x1.55550cp-5f, 0x1.10fcb6p-7f, 0x1.6d150ap-10f, 0x1.bfd83ep-13f);
}

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  static constexpr double log2_e = 0x1.71547652b82fep0;
  // n * ln2_high is exact
  static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;
  // Arguments are clamped to these magnitudes. There, all results are already zero or infinite, and
  // scale() still works.
  static constexpr double most = 1100, most_of_exp2 = 1200;
};
template <>
struct ExpConstants<float> {
  static constexpr float log2_e = 0x1.715476p0f;
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float ln2 = 0x1.62e43p-1f, ln2_rest = -0x1.05c61p-29f;
  static constexpr float most = 120, most_of_exp2 = 180;
};

template <class V>
struct Reduced {
  V n, high, low;  // the reduced argument: exp(x) = 2^n exp(high + low)
};
template <class V>
TNP_INLINE Reduced<V> reduce_exp(V x) {
  using C = ExpConstants<Element<V>>;
  const V n = mad(x, C::log2_e, kRounder<Element<V>>) - kRounder<Element<V>>;
  const V high = mad(n, -C::ln2_high, x);
  return {n, high, n * -C::ln2_low};
}
// exp(high + low) for a reduced argument. The result's low part is not small yet: it has all digits
// except those of the leading 1.
template <class V>
TNP_INLINE Pair<V> exp_pair(V high, V low) {
  const V one = splat<V>(Element<V>(1)), first = one + high;
  const V r = high + low;
  return {first, (high - (first - one)) + mad(r * r, exp_tail(r), low)};
}

template <class V>
TNP_INLINE Pair<V> tight_exp_pair(V high, V low) {
  const Pair<V> e = exp_pair(high, low);
  return ordered_sum(e.high, e.low);
}

template <class V>
TNP_INLINE V clamp(V x, Element<V> most) {
  return at_most(at_least(x, -most), most);
}
template <class V>
TNP_INLINE V clamp_exponent(V x) {
  return clamp(x, ExpConstants<Element<V>>::most);
}

template <class V>
TNP_INLINE V exp(V x) {
  const Reduced<V> reduced = reduce_exp(clamp_exponent(x));
  const Pair<V> e = exp_pair(reduced.high, reduced.low);
  return scale(e.high + e.low, reduced.n);
}

// exp(x) for x <= 0. Avoids underflow in intermediate results, because an underflow takes some
// processors a hundred cycles. Masked elements (-inf) would underflow often.
template <class V>
TNP_INLINE V exp_below(V x) {
  using T = Element<V>;
  constexpr T least = sizeof(T) == 4 ? T(-104) : T(-746);
  const V e = exp(x < least ? V{} : x);
  return x < least ? V{} : e;
}

template <class V>
TNP_INLINE V exp2(V x) {
  using C = ExpConstants<Element<V>>;
  x = clamp(x, C::most_of_exp2);
  const V n = (x + kRounder<Element<V>>)-kRounder<Element<V>>, r = x - n;
  const Pair<V> scaled = product(r, splat<V>(C::ln2));
  const Pair<V> e = exp_pair(scaled.high, mad(r, C::ln2_rest, scaled.low));
  return scale(e.high + e.low, n);
}

// 2^n - 1 + 2^n (exp(r) - 1). n is 0 up to x = 0.52. Beyond, the two parts no longer cancel much.
template <class V>
TNP_INLINE V expm1(V x) {
  using T = Element<V>;
  using C = ExpConstants<T>;
  const V bias = x > T(0) ? splat<V>(T(-0.25)) : V{}, clamped = clamp_exponent(x);
  V n = (mad(clamped, C::log2_e, bias) + kRounder<T>)-kRounder<T>;
  const V high = mad(n, -C::ln2_high, clamped), low = n * -C::ln2_low, r = high + low;
  // Everything is computed at half size, so that the largest results are finite. If 2^n is
  // negligible beside 1, the exact n does not matter.
  n = at_least(n, T(-kMantissaBits<T> - 8)) - T(1);
  const V power = scale(splat<V>(T(1)), at_most(n, T(kExponentBias<T>)));
  const Pair<V> less = ordered_sum(power, splat<V>(T(-0.5))), s = sum(less.high, high * power);
  V result = (s.high + mad(mad(r * r, expm1_tail(r), low), power, s.low + less.low)) * T(2);
  result = n > T(kExponentBias<T>) ? splat<V>(kInfinity<T>) : result;
  // Keeps the sign of zero and the last bits of small numbers, and handles arguments beyond the
  // reduction's range.
  result = absolute(x) < std::numeric_limits<T>::epsilon() / 4 ? x : result;
  return x < -C::most ? splat<V>(T(-1)) : result;
}

// 1 / (1 + exp(-x)). For negative x: exp(x) / (1 + exp(x)), where exp stays below 1.
template <class V>
TNP_INLINE V sigmoid(V x) {
  using T = Element<V>;
  const V one = splat<V>(T(1));
  const Reduced<V> reduced = reduce_exp(clamp_exponent(from_bits<V>(bits(absolute(x)) ^ bits(splat<V>(-T(0))))));
  const Pair<V> e = tight_exp_pair(reduced.high, reduced.low);
  const V high = scale(e.high, reduced.n), low = scale(e.low, reduced.n);
  const Pair<V> below = ordered_sum(one, high);
  const V divisor = below.high, divisor_low = below.low + low;
  const auto negative = x < T(0);
  const V dividend = negative ? high : one, dividend_low = negative ? low : V{};
  const V quotient = dividend / divisor;
  const V rest = remainder_of(dividend, quotient, divisor) + (dividend_low - quotient * divisor_low);
  return quotient + rest / divisor;
}

// exp(x) for floats, computed in double as 2^n (1 + u) with u = exp(r) - 1 to full relative
// accuracy.
struct ExpForFloats {
  Doubles power, u;
};
TNP_INLINE ExpForFloats exp_for_floats(Doubles x) {
  using C = ExpConstants<double>;
  const Doubles rounded = mad(x, C::log2_e, kRounder<double>), n = rounded - kRounder<double>;
  const Doubles r = mad(n, -C::ln2, x);
  const Doubles power = from_bits<Doubles>((bits(rounded) << 52) + bits(splat<Doubles>(1.0)));
  return {power, mad(r * r, exp_tail_for_floats(r), r)};
}
// |x| < 700
TNP_INLINE Doubles exp_in_double(Doubles x) {
  const ExpForFloats e = exp_for_floats(x);
  return mad(e.power, e.u, e.power);
}
TNP_INLINE Doubles expm1_in_double(Doubles x) {
  const ExpForFloats e = exp_for_floats(x);
  return mad(e.power, e.u, e.power - 1.0);
}
TNP_INLINE Doubles exp2_in_double(Doubles x) {
  using C = ExpConstants<double>;
  const Doubles rounded = x + kRounder<double>, r = (x - (rounded - kRounder<double>)) * C::ln2;
  const Doubles power = from_bits<Doubles>((bits(rounded) << 52) + bits(splat<Doubles>(1.0)));
  return mad(power, mad(r * r, exp_tail_for_floats(r), r), power);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
