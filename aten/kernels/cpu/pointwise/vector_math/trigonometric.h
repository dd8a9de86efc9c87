// sin, cos, tan. x = n pi/2 + r, |r| <= pi/4, r as a pair: Cody and Waite's reduction with pi/2 in
// three parts, valid up to AngleConstants::largest. The C library, with Payne and Hanek's
// reduction, computes larger arguments element by element. Minimax polynomials (Sollya's
// fpminimax).
#pragma once

#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/vector.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

template <class T>
struct AngleConstants;
template <>
struct AngleConstants<double> {
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double first = 0x1.921fb54442d18p0, second = 0x1.1a62633145c07p-54, third = -0x1.f1976b7ed8fbcp-110;
  static constexpr double largest = 0x1p21;
};
template <>
struct AngleConstants<float> {
  static constexpr float two_over_pi = 0x1.45f306p-1f;
  static constexpr float first = 0x1.921fb6p0f, second = -0x1.777a5cp-25f, third = -0x1.ee59dap-50f;
  static constexpr float largest = 0x1p16f;
};

TNP_INLINE Doubles sin_tail(Doubles z) {  // (sin(r) / r - 1) / z, z = r^2
  return polynomial(z, -0x1.5555555555555p-3, 0x1.1111111110c82p-7, -0x1.a01a019ea0e33p-13, 0x1.71de37b15adbbp-19,
                    -0x1.ae60208765eb4p-26, 0x1.5e1160a26d618p-33);
}
TNP_INLINE Doubles cos_tail(Doubles z) {  // (cos(r) - 1 + z / 2) / z^2
  return polynomial(z, 0x1.5555555555555p-5, -0x1.6c16c16c168cbp-10, 0x1.a01a019f38706p-16, -0x1.27e4fa031c92bp-22,
                    0x1.1eeb57fe6ff8p-29, -0x1.90739a4172fb6p-37);
}
TNP_INLINE Floats sin_tail(Floats z) { return polynomial(z, -0x1.555552p-3f, 0x1.110be6p-7f, -0x1.9ab3f6p-13f); }
TNP_INLINE Floats cos_tail(Floats z) { return polynomial(z, 0x1.555554p-5f, -0x1.6c129ep-10f, 0x1.9bc75cp-16f); }
TNP_INLINE Doubles sin_tail_for_floats(Doubles z) {
  return polynomial(z, -0x1.555555545e09bp-3, 0x1.11110deedf612p-7, -0x1.a013a6ebb25bdp-13, 0x1.6dbdc46d0e95cp-19);
}
TNP_INLINE Doubles cos_tail_for_floats(Doubles z) {
  return polynomial(z, 0x1.5555555502c8fp-5, -0x1.6c16bf549cbafp-10, 0x1.a015c3f5c7df1p-16, -0x1.25241a7fabef3p-22);
}

template <class V>
struct Angle {
  Signed<V> n;  // only the lowest two bits matter
  V high, low;
};
template <class V>
TNP_INLINE Angle<V> reduce_angle(V x) {
  using C = AngleConstants<Element<V>>;
  const V rounded = mad(x, C::two_over_pi, kRounder<Element<V>>), n = rounded - kRounder<Element<V>>;
  const V first = remainder_of(x, n, splat<V>(C::first));  // exact
  // The sum is exact even if the second term is larger, because `first` is a multiple of its last
  // digit.
  const Pair<V> second = product(n, splat<V>(C::second)), s = ordered_sum(first, -second.high);
  return {bits(rounded), s.high, mad(n, -C::third, s.low - second.low)};
}
// Sine and cosine of a reduced angle; the low parts are not small yet.
template <class V>
struct SineAndCosine {
  Pair<V> sine, cosine;
};
template <class V>
TNP_INLINE SineAndCosine<V> sine_and_cosine(V r, V low) {
  using T = Element<V>;
  const Pair<V> square = product(r, r);
  const V z = square.high, half = z * T(0.5), one = splat<V>(T(1)), first = one - half;
  // The low part of r enters through the derivatives.
  return {{r, mad(r * z, sin_tail(z), low * first)},
          {first, ((one - first) - half) + mad(z * z, cos_tail(z), -mad(r, low, square.low * T(0.5)))}};
}
// The sine of the angle plus `quarters` quarter turns.
template <class V>
TNP_INLINE V sin_after(V x, int quarters) {
  using T = Element<V>;
  using I = Element<Signed<V>>;
  const Angle<V> angle = reduce_angle(x);
  const Signed<V> n = angle.n + I(quarters);
  const auto odd = (n & I(1)) != 0;
  const SineAndCosine<V> both = sine_and_cosine(angle.high, angle.low);
  const V result = odd ? both.cosine.high + both.cosine.low : both.sine.high + both.sine.low;
  return flip_sign(result, (n & I(2)) << (8 * sizeof(T) - 2));
}
template <class V>
TNP_INLINE Signed<V> is_large_angle(V x) {  // also true for NaN
  return Signed<V>(!(absolute(x) <= AngleConstants<Element<V>>::largest));
}
TNP_INLINE double sin_of_large(double x) { return std::sin(x); }
TNP_INLINE double cos_of_large(double x) { return std::cos(x); }
// Computed in double, so that the result for a float is rounded once.
TNP_INLINE float sin_of_large(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
TNP_INLINE float cos_of_large(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }

template <class V>
TNP_INLINE V sin(V x) {
  V result = sin_after(x, 0);
  result = x == V{} ? x : result;  // keeps the sign of zero
  const auto large = is_large_angle(x);
  if (TNP_UNLIKELY(any(large))) replace_lanes(result, large, [](Element<V> v) { return sin_of_large(v); }, x);
  return result;
}
template <class V>
TNP_INLINE V cos(V x) {
  V result = sin_after(x, 1);
  const auto large = is_large_angle(x);
  if (TNP_UNLIKELY(any(large))) replace_lanes(result, large, [](Element<V> v) { return cos_of_large(v); }, x);
  return result;
}

// sin / cos or -cos / sin, both as pairs; the quotient is corrected once.
TNP_INLINE Doubles tan(Doubles x) {
  const Angle<Doubles> angle = reduce_angle(x);
  const SineAndCosine<Doubles> both = sine_and_cosine(angle.high, angle.low);
  const Pair<Doubles> sine = ordered_sum(both.sine.high, both.sine.low);
  const Pair<Doubles> cosine = ordered_sum(both.cosine.high, both.cosine.low);
  const auto odd = (angle.n & int64_t(1)) != 0;
  const Doubles dividend = odd ? -cosine.high : sine.high, divisor = odd ? sine.high : cosine.high;
  const Doubles dividend_low = odd ? -cosine.low : sine.low, divisor_low = odd ? sine.low : cosine.low;
  const Doubles reciprocal = 1.0 / divisor, quotient = dividend * reciprocal;
  const Doubles rest = remainder_of(dividend, quotient, divisor) + (dividend_low - quotient * divisor_low);
  Doubles result = mad(rest, reciprocal, quotient);
  result = absolute(x) < 0x1p-27 ? x : result;
  const auto large = is_large_angle(x);
  if (TNP_UNLIKELY(any(large))) replace_lanes(result, large, [](double v) { return std::tan(v); }, x);
  return result;
}

// Sine and cosine for floats of magnitude up to 2^21, computed in double.
struct SinCos {
  Signed<Doubles> n;
  Doubles sine, cosine;  // sine and cosine of the reduced angle
};
TNP_INLINE SinCos sincos_in_double(Doubles x) {
  using C = AngleConstants<double>;
  const Doubles rounded = mad(x, C::two_over_pi, kRounder<double>), n = rounded - kRounder<double>;
  Doubles r;
  if constexpr (kHasFma) {
    r = mad(n, -C::second, mad(n, -C::first, x));
  } else {  // pi/2 in parts of 31 bits, so that n times the first is exact
    r = ((x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  }
  const Doubles z = r * r;
  return {bits(rounded), mad(r * z, sin_tail_for_floats(z), r), mad(z * z, cos_tail_for_floats(z), mad(z, -0.5, 1.0))};
}
TNP_INLINE Doubles tan_in_double(Doubles x) {
  const SinCos both = sincos_in_double(x);
  const auto odd = (both.n & int64_t(1)) != 0;
  const Doubles result = (odd ? -both.cosine : both.sine) / (odd ? both.sine : both.cosine);
  Doubles signed_result = x == 0.0 ? x : result;
  const auto large = is_large_angle(x);
  if (TNP_UNLIKELY(any(large))) replace_lanes(signed_result, large, [](double v) { return std::tan(v); }, x);
  return signed_result;
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
