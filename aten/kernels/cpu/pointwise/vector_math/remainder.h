// fmod: x - y trunc(x / y), exactly.
#pragma once

#include <cmath>

#include "aten/kernels/cpu/pointwise/vector_math/vector.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// The quotient may be rounded up to the next integer, which makes the remainder negative. The
// function corrects that. Quotients of 2^52 or more, and operands whose products overflow or lose
// digits, go to the C library.
TNP_INLINE Doubles fmod(Doubles x, Doubles y) {
  constexpr double up = 0x1p52, most = kHasFma ? std::numeric_limits<double>::max() : 0x1p900,
                   least = kHasFma ? 0 : 0x1p-900;
  const Doubles dividend = absolute(x), divisor = absolute(y), quotient = dividend / divisor;
  const Doubles rounded = (quotient + up) - up, whole = rounded > quotient ? rounded - 1.0 : rounded;
  Doubles rest = remainder_of(dividend, whole, divisor);
  rest = rest < 0.0 ? rest + divisor : rest;
  rest = with_sign(rest, x);
  const auto regular = (quotient < up) & (divisor <= most) & (divisor > least);
  if (TNP_UNLIKELY(any(~regular)))
    replace_lanes(rest, Signed<Doubles>(~regular), [](double a, double b) { return std::fmod(a, b); }, x, y);
  return rest;
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
