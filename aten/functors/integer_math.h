// Integer arithmetic that wraps on overflow and never traps. As in NumPy, division by zero gives 0,
// and the smallest integer divided by -1 is itself.
#pragma once

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/functors/functor.h"

namespace tnp::math {

template <class T>
inline constexpr bool is_integer_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// The unsigned type in which + - * wrap without undefined behaviour. At least 32 bits, since
// narrower types are promoted to int.
template <class T>
using wrapping_t = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

template <class T>
TNP_HOST_DEVICE constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(wrapping_t<T>(a) + wrapping_t<T>(b));
}
template <class T>
TNP_HOST_DEVICE constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(wrapping_t<T>(a) - wrapping_t<T>(b));
}
template <class T>
TNP_HOST_DEVICE constexpr T wrapping_mul(T a, T b) {
  return static_cast<T>(wrapping_t<T>(a) * wrapping_t<T>(b));
}
template <class T>
TNP_HOST_DEVICE constexpr T wrapping_neg(T a) {
  return static_cast<T>(wrapping_t<T>(0) - wrapping_t<T>(a));
}

// The errors of a division: a zero divisor, or the smallest integer divided by -1, whose quotient
// is not representable.
template <class T>
TNP_HOST_DEVICE constexpr FloatingPointErrors division_errors(T a, T b) {
  const bool overflows = std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
  return (b == 0 ? kDivideByZero : kNoErrors) | (overflows ? kOverflow : kNoErrors);
}
template <class T>
TNP_HOST_DEVICE constexpr FloatingPointErrors remainder_errors(T, T b) {
  return b == 0 ? kDivideByZero : kNoErrors;
}

// The quotient truncated towards zero, like C's /.
template <class T>
TNP_HOST_DEVICE constexpr T quotient(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return wrapping_neg(a);
  }
  return static_cast<T>(a / b);
}
template <class T>
TNP_HOST_DEVICE constexpr T fmod(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
// The remainder with the sign of the divisor, like Python's %.
template <class T>
TNP_HOST_DEVICE constexpr T remainder(T a, T b) {
  T r = fmod(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (r != 0 && (r < 0) != (b < 0)) r = static_cast<T>(r + b);
  }
  return r;
}
template <class T>
TNP_HOST_DEVICE constexpr T floor_divide(T a, T b) {
  T q = quotient(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (b != 0 && b != -1 && (a < 0) != (b < 0) && q * b != a) --q;
  }
  return q;
}

// Exponentiation by squaring, which wraps on overflow. Powers to negative exponents are truncated,
// and 0 for 0; NumPy's face excludes them (checks::integer_power).
template <class T>
TNP_HOST_DEVICE constexpr T power(T base, T exponent) {
  T result = 1;
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) return base == 1 || (base == -1 && !(exponent & 1)) ? T(1) : base == -1 ? T(-1) : T(0);
  }
  while (exponent > 0) {
    if (exponent & 1) result = wrapping_mul(result, base);
    exponent = static_cast<T>(exponent >> 1);
    base = wrapping_mul(base, base);
  }
  return result;
}

template <class T>
TNP_HOST_DEVICE constexpr T absolute(T a) {
  if constexpr (std::is_signed_v<T>)
    return a < 0 ? wrapping_neg(a) : a;
  else
    return a;
}
template <class T>
TNP_HOST_DEVICE constexpr T gcd(T a, T b) {
  using U = std::make_unsigned_t<T>;
  U x = static_cast<U>(absolute(a)), y = static_cast<U>(absolute(b));
  while (y != 0) {
    U r = static_cast<U>(x % y);
    x = y;
    y = r;
  }
  return static_cast<T>(x);
}
template <class T>
TNP_HOST_DEVICE constexpr T lcm(T a, T b) {
  using U = std::make_unsigned_t<T>;
  U divisor = static_cast<U>(gcd(a, b));
  if (divisor == 0) return 0;
  U x = static_cast<U>(absolute(a)), y = static_cast<U>(absolute(b));
  return static_cast<T>(wrapping_mul<U>(static_cast<U>(x / divisor), y));
}

}  // namespace tnp::math
