// The representation of floating-point numbers: classes, signs, neighbours, exponents and
// fractions.
#pragma once

#include <bit>

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct IsNan {
  TNP_HOST_DEVICE bool operator()(T x) const { return math::isnan(x); }
};

template <class T>
struct IsInf {
  TNP_HOST_DEVICE bool operator()(T x) const {
    if constexpr (is_complex_v<T>)
      return std::isinf(x.re) || std::isinf(x.im);
    else if constexpr (std::is_integral_v<T>)
      return false;
    else
      return std::isinf(x);
  }
};

template <class T>
struct IsFinite {
  TNP_HOST_DEVICE bool operator()(T x) const {
    if constexpr (is_complex_v<T>)
      return std::isfinite(x.re) && std::isfinite(x.im);
    else if constexpr (std::is_integral_v<T>)
      return true;
    else
      return std::isfinite(x);
  }
};

template <class T>
struct SignBit {
  TNP_HOST_DEVICE bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::signbit(x);
    else if constexpr (std::is_signed_v<T>)
      return x < 0;
    else
      return false;
  }
};

template <class T>
struct CopySign {
  TNP_HOST_DEVICE T operator()(T size, T sign) const { return std::copysign(size, sign); }
};

namespace math {

TNP_HOST_DEVICE inline float nextafter(float x, float towards) { return std::nextafter(x, towards); }
TNP_HOST_DEVICE inline double nextafter(double x, double towards) { return std::nextafter(x, towards); }
// The next 16-bit float. Computed on the bits, since the neighbours of the float32 value are
// closer. The bits of a finite float, read as an integer, increase with its magnitude.
template <class T>
  requires is_reduced_float_v<T>
TNP_HOST_DEVICE inline T nextafter(T x, T towards) {
  float from = x, to = towards;
  if (from != from) return x;
  if (to != to) return towards;
  if (from == to) return x;
  if (from == 0) return T(static_cast<uint16_t>(to < 0 ? 0x8001 : 0x0001), typename T::FromBits{});
  return T(static_cast<uint16_t>((from < to) == (from > 0) ? x.bits + 1 : x.bits - 1), typename T::FromBits{});
}

}  // namespace math

template <class T>
struct NextAfter {
  TNP_HOST_DEVICE T operator()(T x, T towards) const { return math::nextafter(x, towards); }
  static constexpr bool silent = is_reduced_float_v<T>;
  // The neighbour beyond the largest finite number is infinity, which counts as an overflow.
  static FloatingPointErrors error_of(T result, T x, T) {
    using Wide = std::conditional_t<is_reduced_float_v<T>, float, T>;
    return std::isinf(static_cast<Wide>(result)) && std::isfinite(static_cast<Wide>(x)) ? kOverflow : kNoErrors;
  }
};

// The distance to the neighbour away from 0, with the sign of x; for 0 the smallest positive
// number; NaN for infinities. For float16 it is the distance to the next larger number, always
// positive, as in NumPy's npy_half_spacing.
template <class T>
struct Spacing {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_reduced_float_v<T>) {
      float v = x;
      if (!std::isfinite(v)) return T(std::numeric_limits<float>::quiet_NaN());
      bool upwards = v >= 0 || std::is_same_v<T, Half>;
      float next = math::nextafter(
          x, T(upwards ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity()));
      return T(next - v);
    } else {
      if (!std::isfinite(x)) return std::numeric_limits<T>::quiet_NaN();
      T infinity = std::numeric_limits<T>::infinity();
      return std::nextafter(x, x < 0 ? -infinity : infinity) - x;
    }
  }
  static constexpr bool silent = is_reduced_float_v<T>;
  // As in NumPy, a NaN in float16 gives kInvalid too, unlike a NaN in other dtypes.
  static FloatingPointErrors error_of(T result, T)
    requires std::is_same_v<T, Half>
  {
    const float v = result;
    return std::isnan(v) ? kInvalid : std::isinf(v) ? kOverflow : kNoErrors;
  }
};

// The mantissa and the exponent of x = mantissa * 2^exponent with 0.5 <= |mantissa| < 1.
template <class T>
struct Frexp {
  TNP_HOST_DEVICE Pair<T, int32_t> operator()(T x) const {
    int exponent = 0;  // libm leaves the exponent of infinities and NaN undefined
    T mantissa = std::frexp(x, &exponent);
    return {mantissa, std::isfinite(x) ? exponent : 0};
  }
};

// x * 2^exponent. Exponents beyond a few thousand give 0 or infinity, so the exponent may be
// clamped to an int.
template <class T>
struct Ldexp {
  TNP_HOST_DEVICE T operator()(T x, int64_t exponent) const {
    constexpr int64_t limit = 100000;
    int e = static_cast<int>(exponent < -limit ? -limit : exponent > limit ? limit : exponent);
    return std::ldexp(x, e);
  }
  static constexpr bool underflows = true;
};

// The fraction and the integer part, both with the sign of x.
template <class T>
struct Modf {
  TNP_HOST_DEVICE Pair<T, T> operator()(T x) const {
    T integer = std::trunc(x);
    T fraction = std::isinf(x) ? T(0) : x - integer;
    return {std::isnan(x) ? x : std::copysign(fraction, x), integer};
  }
};

}  // namespace tnp
