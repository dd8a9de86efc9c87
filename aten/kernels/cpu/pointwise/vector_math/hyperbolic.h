// sinh, cosh and tanh from exponentials kept as pairs, near zero from minimax polynomials (Sollya's
// fpminimax). asinh, acosh and atanh are logarithms of 1 + u, with u as a pair.
#pragma once

#include "aten/kernels/cpu/pointwise/vector_math/logarithm.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// exp(|x|) / 2 as a pair. It is finite up to where sinh and cosh overflow, and infinite for
// infinity.
TNP_INLINE Pair<Doubles> half_exp(Doubles magnitude) {
  const Reduced<Doubles> reduced = reduce_exp(at_most(magnitude, 800.0));
  const Pair<Doubles> e = tight_exp_pair(reduced.high, reduced.low);
  const Doubles n = reduced.n - 1.0, high = scale(e.high, n);
  return {high, high == kInfinity<double> ? Doubles{} : scale(e.low, n)};
}
TNP_INLINE Doubles sinh(Doubles x) {
  const Doubles magnitude = absolute(x);
  const Pair<Doubles> e = half_exp(magnitude);
  const Doubles less = 0.25 / e.high;
  const Pair<Doubles> s = ordered_sum(e.high, -less);
  const Doubles large = s.high + (e.high == kInfinity<double> ? Doubles{} : s.low + e.low);
  const Doubles z = magnitude * magnitude;
  const Doubles small =
      mad(magnitude * z,
          polynomial(z, 0x1.5555555555555p-3, 0x1.1111111111198p-7, 0x1.a01a01a00ba06p-13, 0x1.71de3a5e92f5cp-19,
                     0x1.ae6453429517bp-26, 0x1.61222dc8360cfp-33, 0x1.b263553e28d7fp-41),
          magnitude);
  return with_sign(magnitude < 1.0 ? small : large, x);
}
TNP_INLINE Doubles cosh(Doubles x) {
  const Pair<Doubles> e = half_exp(absolute(x));
  const Pair<Doubles> s = ordered_sum(e.high, 0.25 / e.high);
  return s.high + (e.high == kInfinity<double> ? Doubles{} : s.low + e.low);
}
// 1 - 2 / (exp(2 |x|) + 1)
TNP_INLINE Doubles tanh(Doubles x) {
  const Doubles magnitude = absolute(x), z = magnitude * magnitude;
  const Doubles small =
      mad(magnitude * z,
          polynomial(z, -0x1.5555555555555p-2, 0x1.1111111110fdap-3, -0x1.ba1ba1b9f8f7cp-5, 0x1.664f4875a8d1bp-6,
                     -0x1.226e32bf431b8p-7, 0x1.d6d331436cc08p-9, -0x1.7d9767c6ad777p-10, 0x1.34c248342ef5ep-11,
                     -0x1.ebee0c6f8c30dp-13, 0x1.649a801bbfd31p-14, -0x1.58b407da808bap-16),
          magnitude);
  const Doubles twice = at_most(magnitude + magnitude, 80.0);
  const Reduced<Doubles> reduced = reduce_exp(twice);
  const Pair<Doubles> e = tight_exp_pair(reduced.high, reduced.low);
  const Doubles power = scale(splat<Doubles>(1.0), reduced.n);
  const Pair<Doubles> divisor = ordered_sum(e.high * power, splat<Doubles>(1.0));
  const Doubles divisor_low = mad(e.low, power, divisor.low);
  const Doubles quotient = 2.0 / divisor.high;
  const Doubles rest = remainder_of(splat<Doubles>(2.0), quotient, divisor.high) - quotient * divisor_low;
  const Pair<Doubles> s = ordered_sum(splat<Doubles>(1.0), -quotient);
  const Doubles large = s.high + (s.low - rest * (quotient * 0.5));
  return with_sign(magnitude < 0.55 ? small : large, x);
}

TNP_INLINE Pair<Doubles> root_pair(Pair<Doubles> x) {
  const Doubles root = square_root(x.high);
  return {root, (remainder_of(x.high, root, root) + x.low) / (root + (root + 0x1p-1000))};
}
// Beyond this, 1 is negligible beside x^2, and the result is log(2 |x|).
inline constexpr double kManyDigits = 0x1p30;
// log(1 + u), u = |x| + x^2 / (1 + sqrt(1 + x^2)) = |x| + (sqrt(1 + x^2) - 1)
TNP_INLINE Doubles asinh(Doubles x) {
  const Doubles magnitude = absolute(x), less = at_most(magnitude, kManyDigits);
  const Pair<Doubles> square = product(less, less), more = sum(splat<Doubles>(1.0), square.high);
  const Pair<Doubles> root = root_pair({more.high, more.low + square.low});
  const Pair<Doubles> divisor = ordered_sum(root.high, splat<Doubles>(1.0));
  const Doubles reciprocal = 1.0 / divisor.high, quotient = square.high * reciprocal;
  const Doubles quotient_low =
      (remainder_of(square.high, quotient, divisor.high) + (square.low - quotient * (divisor.low + root.low))) *
      reciprocal;
  const Pair<Doubles> u = sum(less, quotient);
  const Doubles usual = log1p(u.high, u.low + quotient_low);
  const auto far = magnitude > kManyDigits;
  Doubles result = usual;
  if (TNP_UNLIKELY(any(Signed<Doubles>(far)))) {
    Split<Doubles> split = split_exponent(at_most(magnitude, 0x1.fffffffffffffp1023));
    split.k += 1.0;
    result = far ? log_of(split) : result;
  }
  result = magnitude < 0x1p-28 ? magnitude : result;
  return with_sign(magnitude == kInfinity<double> ? magnitude : result, x);
}
// log(1 + u), u = (x - 1) + sqrt((x - 1) (x + 1))
TNP_INLINE Doubles acosh(Doubles x) {
  const Doubles less = at_most(x, kManyDigits);
  const Pair<Doubles> below = sum(less, splat<Doubles>(-1.0)), above = sum(less, splat<Doubles>(1.0));
  const Pair<Doubles> square = product(below.high, above.high);
  const Pair<Doubles> root = root_pair({square.high, square.low + mad(below.high, above.low, below.low * above.high)});
  const Pair<Doubles> u = sum(root.high, below.high);
  Doubles result = log1p(u.high, u.low + (root.low + below.low));
  const auto far = x > kManyDigits;
  if (TNP_UNLIKELY(any(Signed<Doubles>(far)))) {
    Split<Doubles> split = split_exponent(at_most(x, 0x1.fffffffffffffp1023));
    split.k += 1.0;
    result = far ? log_of(split) : result;
    result = x == kInfinity<double> ? x : result;
  }
  return x >= 1.0 ? result : splat<Doubles>(std::numeric_limits<double>::quiet_NaN());
}
// log(1 + 2 x / (1 - x)) / 2
TNP_INLINE Doubles atanh(Doubles x) {
  const Doubles magnitude = absolute(x), twice = magnitude + magnitude;
  const Pair<Doubles> divisor = sum(splat<Doubles>(1.0), -magnitude);
  const Doubles reciprocal = 1.0 / divisor.high, quotient = twice * reciprocal;
  const Doubles quotient_low = mad(-quotient, divisor.low, remainder_of(twice, quotient, divisor.high)) * reciprocal;
  Doubles result = log1p(quotient, quotient_low) * 0.5;
  result = magnitude < 0x1p-28 ? magnitude : result;
  result = magnitude == 1.0 ? splat<Doubles>(kInfinity<double>) : result;
  result = magnitude <= 1.0 ? result : splat<Doubles>(std::numeric_limits<double>::quiet_NaN());
  return with_sign(result, x);
}

// sinh for floats, computed in double.
TNP_INLINE Doubles sinh_in_double(Doubles x) {
  const Doubles u = expm1_in_double(at_most(absolute(x), 100.0));
  return with_sign((u + u / (u + 1.0)) * 0.5, x);
}
TNP_INLINE Doubles cosh_in_double(Doubles x) {
  const Doubles e = exp_in_double(at_most(absolute(x), 100.0));
  return (e + 1.0 / e) * 0.5;
}
TNP_INLINE Doubles tanh_in_double(Doubles x) {
  const Doubles magnitude = at_most(absolute(x), 20.0), u = expm1_in_double(magnitude + magnitude);
  return with_sign(u / (u + 2.0), x);
}
TNP_INLINE Doubles asinh_in_double(Doubles x) {
  const Doubles magnitude = absolute(x), square = magnitude * magnitude;
  const Doubles result = usual_log1p_in_double(magnitude + square / (square_root(square + 1.0) + 1.0));
  return with_sign(magnitude < kInfinity<double> ? result : magnitude, x);
}
TNP_INLINE Doubles acosh_in_double(Doubles x) {
  const Doubles less = x - 1.0, result = usual_log1p_in_double(less + square_root(less * (x + 1.0)));
  return x < kInfinity<double> ? (x >= 1.0 ? result : splat<Doubles>(std::numeric_limits<double>::quiet_NaN())) : x;
}
TNP_INLINE Doubles atanh_in_double(Doubles x) {
  const Doubles magnitude = absolute(x);
  Doubles result = usual_log1p_in_double((magnitude + magnitude) / (1.0 - magnitude)) * 0.5;
  result = magnitude == 1.0 ? splat<Doubles>(kInfinity<double>) : result;
  return with_sign(magnitude <= 1.0 ? result : splat<Doubles>(std::numeric_limits<double>::quiet_NaN()), x);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
