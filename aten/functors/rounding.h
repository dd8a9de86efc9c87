// Rounding to integers and to decimals. Integers are returned unchanged.
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

template <class T>
struct Floor {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return std::floor(x);
  }
};

template <class T>
struct Ceil {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return std::ceil(x);
  }
};

template <class T>
struct Trunc {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return std::trunc(x);
  }
};

// Rounds to the nearest integer, ties to even.
template <class T>
struct Rint {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>)
      return T(std::nearbyint(x.re), std::nearbyint(x.im));
    else
      return std::nearbyint(x);
  }
};

// Rounds to a multiple of 1 / scale (scale = 10^decimals), as NumPy does.
template <class T>
struct RoundDecimals {
  TNP_HOST_DEVICE T operator()(T x, real_t<T> scale) const {
    if constexpr (is_complex_v<T>)
      return T(std::nearbyint(x.re * scale) / scale, std::nearbyint(x.im * scale) / scale);
    else
      return std::nearbyint(x * scale) / scale;
  }
};

// Rounds to a multiple of `unit` (10, 100, ...). Divides by `unit` first, since 1 / unit is not
// exact.
template <class T>
struct RoundMultiple {
  TNP_HOST_DEVICE T operator()(T x, real_t<T> unit) const {
    if constexpr (is_complex_v<T>)
      return T(std::nearbyint(x.re / unit) * unit, std::nearbyint(x.im / unit) * unit);
    else
      return std::nearbyint(x / unit) * unit;
  }
};

template <class T>
struct Frac {
  TNP_HOST_DEVICE T operator()(T x) const { return x - std::trunc(x); }
};

}  // namespace tnp
