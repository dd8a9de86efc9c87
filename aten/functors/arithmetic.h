// Arithmetic: sums, products, quotients, remainders, powers, absolute values and signs.
#pragma once

#include "aten/functors/integer_math.h"
#include "aten/functors/power_math.h"
#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct Add {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (math::is_integer_v<T>)
      return math::wrapping_add(a, b);
    else
      return a + b;
  }
};

template <class T>
struct Subtract {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return math::wrapping_sub(a, b);
    else
      return a - b;
  }
};

template <class T>
struct Multiply {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else if constexpr (math::is_integer_v<T>)
      return math::wrapping_mul(a, b);
    else
      return a * b;
  }
};

template <class T>
struct Divide {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return a / b; }
  static constexpr bool misleading_flags = is_complex_v<T>;
  static bool is_pole(T, T b) { return b == T(0); }
};

// See Note [Errors by values] in aten/kernels/cpu/pointwise/pointwise_loops.h.
template <class T>
struct QuotientErrors {
  static FloatingPointErrors errors(T a, T b)
    requires math::is_integer_v<T>
  {
    return math::division_errors(a, b);
  }
  static bool is_pole(T, T b)
    requires std::is_floating_point_v<T>
  {
    return b == 0;
  }
};

template <class T>
struct FloorDivide : QuotientErrors<T> {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return math::floor_divide(a, b);
    else
      return math::floor_quotient(a, b, std::fmod(a, b));
  }
};

// VML's fmod of an infinity and a number near the largest double gives NaN without setting a flag.
// VML may also set the flag in another thread, since it distributes work over threads from some
// hundred elements on.
template <class T>
inline constexpr bool remainder_is_silent = std::is_same_v<T, double>;

template <class T>
struct Remainder {
  static constexpr bool silent = remainder_is_silent<T>;
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return math::remainder(a, b);
    else
      return math::python_remainder(b, std::fmod(a, b));
  }
  static FloatingPointErrors errors(T a, T b)
    requires math::is_integer_v<T>
  {
    return math::remainder_errors(a, b);
  }
};

template <class T>
struct Divmod : QuotientErrors<T> {
  static constexpr bool silent = remainder_is_silent<T>;
  TNP_HOST_DEVICE Pair<T, T> operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return {math::floor_divide(a, b), math::remainder(a, b)};
    else
      return math::python_divmod(a, b, std::fmod(a, b));
  }
};

template <class T>
struct Fmod {
  static constexpr bool silent = remainder_is_silent<T>;
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return math::fmod(a, b);
    else
      return std::fmod(a, b);
  }
  static FloatingPointErrors errors(T a, T b)
    requires math::is_integer_v<T>
  {
    return math::remainder_errors(a, b);
  }
};

// The quotient truncated towards zero (torch's rounding_mode='trunc').
template <class T>
struct TruncDivide {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T>)
      return math::quotient(a, b);
    else
      return std::trunc(a / b);
  }
};

template <class T>
struct Power {
  TNP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (math::is_integer_v<T> || is_complex_v<T>) return math::power(a, b);
#if defined(__CUDA_ARCH__)
    else if (math::is_whole_power(b))
      return math::whole_power(a, static_cast<int>(b));
#endif
    else
      return std::pow(a, b);
  }
  static constexpr bool underflows = true;
  // 0 to a power with a negative real part is NaN, but no flag is set
  static constexpr bool silent = is_complex_v<T>;
  static bool is_pole(T a, T b)
    requires std::is_floating_point_v<T>
  {
    return a == 0 && b < 0;
  }
};

template <class T>
struct Negative {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (math::is_integer_v<T>)
      return math::wrapping_neg(a);
    else
      return -a;
  }
};

template <class T>
struct Positive {
  TNP_HOST_DEVICE T operator()(T a) const { return a; }
};

template <class T>
struct Absolute {
  TNP_HOST_DEVICE real_t<T> operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>)
      return a;
    else if constexpr (math::is_integer_v<T>)
      return math::absolute(a);
    else if constexpr (is_complex_v<T>)
      return math::abs(a);
    else
      return std::abs(a);
  }
};

template <class T>
struct Fabs {
  TNP_HOST_DEVICE T operator()(T a) const { return std::abs(a); }
};

// -1, 0 or 1; for a complex number z / |z|.
template <class T>
struct Sign {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (is_complex_v<T>) {
      using R = real_t<T>;
      R size = math::abs(a);
      if (size == 0) return T(0, 0);
      if (std::isinf(size)) {
        bool re = std::isinf(a.re), im = std::isinf(a.im);
        if (re && im) return T(std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN());
        if (re) return T(std::copysign(R(1), a.re), 0);
        if (im) return T(0, std::copysign(R(1), a.im));
        a = T(a.re / 4, a.im / 4);  // both parts are finite: only |a| overflowed
        size = math::abs(a);
      }
      return T(a.re / size, a.im / size);
    } else if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(a > 0);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>((a > 0) - (a < 0));
    } else {
      return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
    }
  }
};

// PyTorch's sign: that of NaN is 0.
template <class T>
struct SignOrZero {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>((a > 0) - (a < 0));
    else
      return Sign<T>{}(a);
  }
};

template <class T>
struct Reciprocal {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (std::is_unsigned_v<T>)
      return a == 1;  // 1 / a is truncated to 0 for a > 1, and 1 / 0 gives 0
    else if constexpr (std::is_integral_v<T>)
      return convert<T>(1.0 / static_cast<double>(a));
    else
      return T(1) / a;
  }
  // 1 / 0 is infinity, which no integer can represent.
  static FloatingPointErrors errors(T a)
    requires math::is_integer_v<T>
  {
    return a == 0 ? kDivideByZero | kInvalid : kNoErrors;
  }
  static constexpr bool misleading_flags = is_complex_v<T>;
  static bool is_pole(T a)
    requires(!math::is_integer_v<T>)
  {
    return a == T(0);
  }
};

template <class T>
struct Square {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (math::is_integer_v<T>)
      return math::wrapping_mul(a, a);
    else
      return a * a;
  }
};

template <class T>
struct Sqrt {
  TNP_HOST_DEVICE T operator()(T a) const { return math::sqrt(a); }
  static constexpr bool misleading_flags = is_complex_v<T>;
};

template <class T>
struct Cbrt {
  TNP_HOST_DEVICE T operator()(T a) const { return std::cbrt(a); }
};

template <class T>
struct Conjugate {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (is_complex_v<T>)
      return T(a.re, -a.im);
    else
      return a;
  }
};

// The step function, with `middle` as its value at 0.
template <class T>
struct Heaviside {
  TNP_HOST_DEVICE T operator()(T a, T middle) const { return a > 0 ? T(1) : a < 0 ? T(0) : a == 0 ? middle : a; }
};

template <class T>
struct Gcd {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::gcd(a, b); }
};

template <class T>
struct Lcm {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::lcm(a, b); }
};

template <class T>
struct ReciprocalSquareRoot {
  TNP_HOST_DEVICE T operator()(T x) const { return T(1) / math::sqrt(x); }
};

// Interpolates from the nearer end, so that the result is exact at both ends.
template <class T>
struct Lerp {
  TNP_HOST_DEVICE T operator()(T start, T end, T weight) const {
    const T way = end - start;
    if constexpr (is_complex_v<T>)
      return weight.re * weight.re + weight.im * weight.im < 0.25f ? start + weight * way : end - way * (T(1) - weight);
    else
      return std::abs(weight) < T(0.5) ? start + weight * way : end - way * (T(1) - weight);
  }
};

}  // namespace tnp
