// erf: x + x P(x^2) up to 1, and 1 - exp(-x^2) Q(x) beyond. P and Q are minimax polynomials
// (Sollya's fpminimax; Q by remez with the weight exp(-x^2)).
#pragma once

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

TNP_INLINE Doubles erf(Doubles x) {
  const Doubles magnitude = at_most(absolute(x), 6.0);
  const Pair<Doubles> square = product(magnitude, magnitude);
  // The first two terms of P nearly cancel, so their rounding errors are kept.
  constexpr double constant = 0x1.06eba8214db68p-3, linear = -0x1.812746b0379b4p-2;
  const Doubles z = square.high;
  const Pair<Doubles> first = product(z, splat<Doubles>(linear)), both = sum(first.high, splat<Doubles>(constant));
  const Doubles further =
      polynomial(z, 0x1.ce2f21a040a5ep-4, -0x1.b82ce311f4932p-6, 0x1.565bccf8bb321p-8, -0x1.c02db034bdaf5p-11,
                 0x1.f9a2ba45ed1e9p-14, -0x1.f4ca4c4a3ef4ep-17, 0x1.b97fe969d11dfp-20, -0x1.5c0838f0d4ce3p-23,
                 0x1.d72530f4fbe18p-27, -0x1.abd253691d6b6p-31);
  const Doubles tail = both.high + mad(z * z, further, both.low + mad(square.low, linear, first.low));
  const Doubles small = mad(magnitude, tail, magnitude);
  const Reduced<Doubles> reduced = reduce_exp(-square.high);
  const Pair<Doubles> e = exp_pair(reduced.high, reduced.low - square.low);
  const Doubles rest =
      polynomial(magnitude - 2.5, 0x1.afbb3f3b7344bp-3, -0x1.3086d7f01a7d8p-4, 0x1.98958a7a90378p-6,
                 -0x1.0632076855ba3p-7, 0x1.435c04de52f5bp-9, -0x1.809ce892f28f9p-11, 0x1.ba8a69d99b65fp-13,
                 -0x1.edd421c038482p-15, 0x1.0bcb7202212b7p-16, -0x1.1ad1bf8e2185cp-18, 0x1.2353b2f5d6f29p-20,
                 -0x1.24fdda33716a7p-22, 0x1.2044a7420917ap-24, -0x1.1719ecad83b16p-26, 0x1.05bcca40f0e1bp-28,
                 -0x1.d19f645d7bd18p-31, 0x1.d025ee789cc9fp-33, -0x1.e0bb80aa3f83fp-35, 0x1.c270bfadf338fp-38,
                 -0x1.7d6ef508ce3a5p-41, 0x1.08f2e3d9ad32fp-40, -0x1.e2298c2874baep-43);
  const Doubles large = 1.0 - scale((e.high + e.low) * rest, reduced.n);
  return with_sign(magnitude < 1.0 ? small : large, x);
}

// erf for floats, computed in double.
TNP_INLINE Doubles erf_in_double(Doubles x) {
  const Doubles magnitude = at_most(absolute(x), 4.0), z = magnitude * magnitude;
  const Doubles tail =
      polynomial(z, 0x1.06eba7f86e72p-3, -0x1.81273ebf51318p-2, 0x1.ce2d1d3798231p-4, -0x1.b7fb86a24c965p-6,
                 0x1.54186baca760dp-8, -0x1.a479df6ed3758p-11, 0x1.4ac1afdbca909p-14);
  const Doubles small = mad(magnitude, tail, magnitude);
  const Doubles rest =
      polynomial(magnitude - 2.5, 0x1.afbb3b48f250cp-3, -0x1.3088facbe1a89p-4, 0x1.98720ac0c5078p-6,
                 -0x1.06267a9205f72p-7, 0x1.4a64ed99b0351p-9, -0x1.54595feb3ec9bp-11, 0x1.d513af3a210ddp-13,
                 -0x1.1da641ca6f5d9p-13, -0x1.e4b1b9ecb5e7fp-15, -0x1.d5ab6d02af38fp-16);
  const Doubles large = mad(-exp_in_double(-z), rest, splat<Doubles>(1.0));
  return with_sign(magnitude < 1.0 ? small : large, x);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
