// log and related functions. x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f),
// and log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + R(s^2))). This is K. C. Ng's algorithm
// (FreeBSD's msun, e_log.c), with our own minimax coefficients.
#pragma once

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// (2 atanh(s) / s - 2) / z, z = s^2
TNP_INLINE Doubles log_tail(Doubles z) {
  return polynomial(z, 0x1.5555555555558p-1, 0x1.9999999994fa9p-2, 0x1.2492492e62e64p-2, 0x1.c71c624a40bcep-3,
                    0x1.7462e22d2c0d7p-3, 0x1.39f862b50d315p-3, 0x1.2ba2cd5a5c34p-3);
}
TNP_INLINE Doubles log_tail_for_floats(Doubles z) {
  return polynomial(z, 0x1.5555555565fc5p-1, 0x1.999998c01656fp-2, 0x1.24932c4a305bfp-2, 0x1.c676cbf83fa03p-3,
                    0x1.8cd92b5843fa2p-3);
}

template <class V>
struct Split {
  V k, m;  // x = 2^k m
};
// Splits positive normal numbers into mantissa and exponent.
template <class V>
TNP_INLINE Split<V> split_exponent(V x) {
  using T = Element<V>;
  using U = Unsigned<V>;
  constexpr int mantissa = kMantissaBits<T>;
  const U root_half = unsigned_bits(splat<V>(T(0.70710678118654752440)));
  const U i = unsigned_bits(x) + (unsigned_bits(splat<V>(T(1))) - root_half);
  // Converts the exponent to a floating-point number by placing it in the low digits of 2^mantissa.
  const V two = splat<V>(T(typename IntegerOf<T>::Unsigned(1) << mantissa));
  const V k = from_bits<V>((i >> mantissa) | unsigned_bits(two)) - (two + T(kExponentBias<T>));
  const U mask = unsigned_bits(V{}) + ((Element<U>(1) << mantissa) - 1);
  return {k, from_bits<V>((i & mask) + root_half)};
}
// Splits positive numbers, including subnormal numbers.
template <class V>
TNP_INLINE Split<V> split_any_exponent(V x) {
  using T = Element<V>;
  constexpr T up = T(uint64_t(1) << (kMantissaBits<T> + 1));
  const auto subnormal = x < std::numeric_limits<T>::min();
  Split<V> split = split_exponent(subnormal ? x * up : x);
  split.k = subnormal ? split.k - T(kMantissaBits<T> + 1) : split.k;
  return split;
}
// Whether x is not a positive, normal, finite number; such x need special handling.
template <class V>
TNP_INLINE Signed<V> is_unusual(V x) {
  using T = Element<V>;
  const Unsigned<V> least = unsigned_bits(splat<V>(std::numeric_limits<T>::min()));
  return reinterpret_cast<Signed<V>>(unsigned_bits(x) - least >= unsigned_bits(splat<V>(kInfinity<T>)) - least);
}
// The limits of every logarithm: -inf for 0, inf for inf, NaN for negative numbers and NaN.
template <class V>
TNP_INLINE V logarithm_at_ends(V x, V result) {
  using T = Element<V>;
  result = x == kInfinity<T> ? x : result;
  result = x == T(0) ? splat<V>(-kInfinity<T>) : result;
  return x >= T(0) ? result : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

TNP_INLINE Doubles log_of(Split<Doubles> x) {
  using C = ExpConstants<double>;
  const Doubles f = x.m - 1.0, s = f / (f + 2.0), z = s * s, half_square = f * f * 0.5;
  const Doubles R = z * log_tail(z);
  const Doubles inner = half_square - mad(s, half_square + R, x.k * C::ln2_low);
  const Pair<Doubles> start = ordered_sum(x.k * C::ln2_high, f);
  return start.high + (start.low - inner);
}
TNP_INLINE Doubles log(Doubles x) {
  if (TNP_UNLIKELY(any(is_unusual(x)))) return logarithm_at_ends(x, log_of(split_any_exponent(x)));
  return log_of(split_exponent(x));
}

// log(1 + f) = f - f^2/2 + f^3 P(f), f exact.
TNP_INLINE Floats log_tail(Floats f) {
  return polynomial(f, 0x1.555554p-2f, -0x1.ffffe6p-3f, 0x1.999d2ap-3f, -0x1.556286p-3f, 0x1.23de36p-3f,
                    -0x1.fbbfbap-4f, 0x1.dc77fcp-4f, -0x1.ddae94p-4f, 0x1.2ca65cp-4f);
}
TNP_INLINE Floats log_of(Split<Floats> x) {
  using C = ExpConstants<float>;
  const Floats f = x.m - 1.0f;
  const Pair<Floats> s = ordered_sum(x.k * C::ln2_high, f);
  return s.high + (s.low + mad(f * f, mad(f, log_tail(f), -0.5f), x.k * C::ln2_low));
}
// 1 / log(base) and log(2) / log(base) as pairs. The high part of the latter ends in zero bits, so
// that k times it is exact.
struct FloatBase {
  float reciprocal, reciprocal_low, ln2_high, ln2_low;
};
TNP_INLINE Floats log_to_base(Split<Floats> x, FloatBase base) {
  const Floats f = x.m - 1.0f;
  const Pair<Floats> square = product(f, f), start = ordered_sum(f, square.high * -0.5f);
  const Floats rest = mad(f * square.high, log_tail(f), mad(square.low, -0.5f, start.low));
  const Pair<Floats> first = product(start.high, splat<Floats>(base.reciprocal)),
                     s = ordered_sum(x.k * base.ln2_high, first.high);
  const Floats small = s.low + (first.low + mad(start.high, base.reciprocal_low, x.k * base.ln2_low));
  return s.high + mad(rest, base.reciprocal, small);
}
inline constexpr FloatBase kBase2 = {0x1.715476p0f, 0x1.4ae0cp-26f, 1.0f, 0.0f};
inline constexpr FloatBase kBase10 = {0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f};
TNP_INLINE Floats log(Floats x) {
  if (TNP_UNLIKELY(any(is_unusual(x)))) return logarithm_at_ends(x, log_of(split_any_exponent(x)));
  return log_of(split_exponent(x));
}

TNP_INLINE Floats log_to_base(Floats x, FloatBase base) {
  if (TNP_UNLIKELY(any(is_unusual(x)))) return logarithm_at_ends(x, log_to_base(split_any_exponent(x), base));
  return log_to_base(split_exponent(x), base);
}
TNP_INLINE Floats log2(Floats x) { return log_to_base(x, kBase2); }
TNP_INLINE Floats log10(Floats x) { return log_to_base(x, kBase10); }

// log(m) as a pair with error about 2^-65, for pow and for logarithms to other bases.
TNP_INLINE Pair<Doubles> log_pair(Doubles m) {
  const Doubles f = m - 1.0;
  const Pair<Doubles> divisor = ordered_sum(splat<Doubles>(2.0), f);
  const Doubles reciprocal = splat<Doubles>(1.0) / divisor.high, s = f * reciprocal;
  const Doubles s_low = mad(-s, divisor.low, remainder_of(f, s, divisor.high)) * reciprocal;
  const Pair<Doubles> square = product(s, s);
  const Doubles z = square.high, z_low = mad(s + s, s_low, square.low);
  // 2/3 z as a pair, and the following terms.
  constexpr double third = 0x1.5555555555555p-1, third_low = 0x1.5555555555555p-55;
  const Doubles further =
      z * z *
      polynomial(z, 0x1.999999999999ap-2, 0x1.249249249230bp-2, 0x1.c71c71c747dc6p-3, 0x1.745d174138127p-3,
                 0x1.3b13a7f035c06p-3, 0x1.1115b79b7970ap-3, 0x1.e003d27ff6a3cp-4, 0x1.db8865d9aba66p-4);
  const Pair<Doubles> first = product(z, splat<Doubles>(third));
  const Pair<Doubles> t = ordered_sum(first.high, further);
  const Doubles t_low = t.low + (first.low + mad(z, third_low, z_low * third));
  const Pair<Doubles> st = product(s, t.high);
  const Doubles st_low = st.low + mad(s, t_low, s_low * t.high);
  const Pair<Doubles> result = ordered_sum(s + s, st.high);
  return {result.high, result.low + (s_low + s_low + st_low)};
}
// A pair times a constant, also given as a pair.
TNP_INLINE Pair<Doubles> times(Pair<Doubles> x, double high, double low) {
  const Pair<Doubles> p = product(x.high, splat<Doubles>(high));
  return {p.high, p.low + mad(x.high, low, x.low * high)};
}
TNP_INLINE Pair<Doubles> log2_pair(Split<Doubles> x) {
  const Pair<Doubles> fraction = times(log_pair(x.m), 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56);
  const Pair<Doubles> s = ordered_sum(x.k, fraction.high);
  return {s.high, s.low + fraction.low};
}

// log(m) as a pair with an error below a quarter of an ULP: f - f^2/2, and the other terms of
// log_of().
TNP_INLINE Pair<Doubles> loose_log_pair(Doubles m) {
  const Doubles f = m - 1.0, s = f / (f + 2.0), z = s * s, half_square = f * f * 0.5;
  const Pair<Doubles> first = ordered_sum(f, -half_square);
  return {first.high, first.low + s * mad(z, log_tail(z), half_square)};
}
TNP_INLINE Doubles log2_of(Split<Doubles> x) {
  const Pair<Doubles> fraction = times(loose_log_pair(x.m), 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56);
  const Pair<Doubles> s = ordered_sum(x.k, fraction.high);
  return s.high + (s.low + fraction.low);
}
TNP_INLINE Doubles log2(Doubles x) {
  if (TNP_UNLIKELY(any(is_unusual(x)))) return logarithm_at_ends(x, log2_of(split_any_exponent(x)));
  return log2_of(split_exponent(x));
}
TNP_INLINE Doubles log10_of(Split<Doubles> x) {
  const Pair<Doubles> fraction = times(loose_log_pair(x.m), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  // log10(2) in two parts. The first part ends in zero bits, so that k times it is exact.
  const Pair<Doubles> s = ordered_sum(x.k * 0x1.34413509f8p-2, fraction.high);
  return s.high + (s.low + mad(x.k, -0x1.80433b83b532ap-44, fraction.low));
}
TNP_INLINE Doubles log10(Doubles x) {
  if (TNP_UNLIKELY(any(is_unusual(x)))) return logarithm_at_ends(x, log10_of(split_any_exponent(x)));
  return log10_of(split_exponent(x));
}

// log(1 + high + low), from 1 + high + low = 2^k m (1 + c), where c is the rounding error of m. low
// is at most half an ULP of high; high > -1, finite.
TNP_INLINE Doubles log1p(Doubles high, Doubles low) {
  using C = ExpConstants<double>;
  const Pair<Doubles> u = sum(splat<Doubles>(1.0), high);
  const Split<Doubles> x = split_exponent(u.high);
  // For k = 0, f is `high` itself, with all its digits.
  const Doubles power = scale(splat<Doubles>(1.0), -x.k);
  const auto plain = x.k == 0.0;
  const Doubles f = plain ? high : x.m - 1.0;
  const Doubles c = plain ? low : (u.low + low) * power;
  const Doubles s = f / (f + 2.0), z = s * s, half_square = f * f * 0.5;
  const Doubles R = z * log_tail(z);
  // c / (1 + f); a few digits suffice.
  const Doubles correction =
      c * polynomial(f, 0x1.ff23abbee14e5p-1, -0x1.01c6dd3413a8ap0, 0x1.1d0968831afd3p0, -0x1.e23e8f703eeadp-1);
  const Doubles inner = half_square - (mad(s, half_square + R, x.k * C::ln2_low) + correction);
  const Pair<Doubles> start = ordered_sum(x.k * C::ln2_high, f);
  return start.high + (start.low - inner);
}
TNP_INLINE Doubles log1p(Doubles x) {
  const Doubles result = log1p(at_most(x, 0x1.fffffffffffffp1023), Doubles{});
  const auto tiny = absolute(x) < 0x1p-54;
  const Doubles usual = tiny ? x : result;
  if (TNP_UNLIKELY(any(Signed<Doubles>(!(x > -1.0 && x < kInfinity<double>))))) {
    Doubles v = x == kInfinity<double> ? x : usual;
    v = x == -1.0 ? splat<Doubles>(-kInfinity<double>) : v;
    return x >= -1.0 ? v : splat<Doubles>(std::numeric_limits<double>::quiet_NaN());
  }
  return usual;
}

// log(1 + f) for floats, computed in double.
TNP_INLINE Doubles log_fraction_in_double(Doubles f) {
  const Doubles s = f / (f + 2.0), z = s * s;
  return s * mad(z, log_tail_for_floats(z), 2.0);
}
// log2(x) for positive, finite floats. Subnormal floats are normal doubles.
TNP_INLINE Doubles usual_log2_in_double(Doubles x) {
  const Split<Doubles> split = split_exponent(x);
  return mad(log_fraction_in_double(split.m - 1.0), ExpConstants<double>::log2_e, split.k);
}
TNP_INLINE Doubles with_ends(Doubles x, Doubles result) {
  return TNP_UNLIKELY(any(is_unusual(x))) ? logarithm_at_ends(x, result) : result;
}
// log(1 + x) for finite x > -1. For small x the result keeps its relative accuracy, and for zero
// its sign.
TNP_INLINE Doubles usual_log1p_in_double(Doubles x) {
  const Split<Doubles> split = split_exponent(x + 1.0);
  const Doubles f = split.k == 0.0 ? x : split.m - 1.0;
  const Doubles fraction = log_fraction_in_double(f);
  return split.k == 0.0 ? fraction : mad(split.k, ExpConstants<double>::ln2, fraction);
}
TNP_INLINE Doubles log1p_in_double(Doubles x) { return with_ends(x + 1.0, usual_log1p_in_double(x)); }

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
