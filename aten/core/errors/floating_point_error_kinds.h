// The kinds of floating-point errors. See Note [Floating-point errors] in floating_point_errors.h.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

// A bitmask of errors, with NumPy's bits.
enum FloatingPointErrors : uint8_t {
  kNoErrors = 0,
  kDivideByZero = 1,
  kOverflow = 2,
  kUnderflow = 4,
  kInvalid = 8,
};
TNP_HOST_DEVICE constexpr FloatingPointErrors operator|(FloatingPointErrors a, FloatingPointErrors b) {
  return static_cast<FloatingPointErrors>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
TNP_HOST_DEVICE constexpr FloatingPointErrors& operator|=(FloatingPointErrors& a, FloatingPointErrors b) {
  return a = a | b;
}

// The source of an operator's errors: none, the processor's flags, or a comparison of operands and
// results.
enum class ErrorSource : uint8_t { None, Flags, Values };

}  // namespace tnp
