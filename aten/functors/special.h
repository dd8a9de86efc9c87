// Special functions of statistics and neural networks.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

// 1 / (1 + exp(-x)). For negative x the formula is exp(x) / (1 + exp(x)): exp stays below 1, and
// small results keep their digits.
template <class T>
struct Sigmoid {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) {
      if (x.re >= 0) return T(1) / (T(1) + math::exp(-x));
      T e = math::exp(x);
      return e / (T(1) + e);
    } else {
      T e = std::exp(-std::abs(x));
      return (x >= 0 ? T(1) : x < 0 ? e : x) / (1 + e);  // NaN propagates
    }
  }
};

template <class T>
struct Relu {
  TNP_HOST_DEVICE T operator()(T x) const { return x > 0 || math::isnan(x) ? x : T(0); }
};

template <class T>
struct Erf {
  TNP_HOST_DEVICE T operator()(T x) const { return std::erf(x); }
};

// x log(y), where 0 times any non-NaN value is 0.
template <class T>
struct XLogY {
  TNP_HOST_DEVICE T operator()(T x, T y) const { return math::isnan(y) ? y : x == 0 ? T(0) : x * std::log(y); }
};

template <class T>
struct XLog1pY {
  TNP_HOST_DEVICE T operator()(T x, T y) const { return math::isnan(y) ? y : x == 0 ? T(0) : x * std::log1p(y); }
};

template <class T>
struct Entropy {
  TNP_HOST_DEVICE T operator()(T x) const {
    return x > 0 ? -x * std::log(x) : x == 0 ? T(0) : x < 0 ? -std::numeric_limits<T>::infinity() : x;
  }
};

// log(x / (1 - x)), with a correction for the quotient's rounding error. Near 1/2 the result is
// computed as log1p((2 x - 1) / (1 - x)), where 2 x - 1 is exact.
template <class T>
struct Logit {
  TNP_HOST_DEVICE T operator()(T x) const {
    const double p = static_cast<double>(x);
    if (p > 0.3 && p < 0.65) {
      const double rest = 1 - p, rest_low = (1 - rest) - p, above = p + p - 1, quotient = above / rest;
      const double low = (std::fma(-quotient, rest, above) - quotient * rest_low) / rest;
      return static_cast<T>(std::log1p(quotient) + low / (1 + quotient));
    }
    return std::log(x / (1 - x));
  }
};

// sin(pi x) / (pi x). For real x the sine is that of the distance from the nearest integer, which
// is exact.
template <class T>
struct Sinc {
  TNP_HOST_DEVICE T operator()(T x) const {
    constexpr double pi = 3.14159265358979323846;
    if constexpr (is_complex_v<T>) {
      using Real = decltype(x.re);
      if (x.re == 0 && x.im == 0) return T(1);
      const T z = x * T(static_cast<Real>(pi));
      return math::sin(z) / z;
    } else {
      if (x == 0) return T(1);
      if (std::isinf(x)) return T(0);
      const double wide = static_cast<double>(x), integer = std::nearbyint(wide), distance = wide - integer;
      const double angle = pi * distance, divisor = pi * wide, sine = std::sin(angle);
      if (distance == 0 && integer != 0) return static_cast<T>(std::copysign(0.0, wide));
      double value = sine / divisor;
      // Adds the rounding errors of pi and of its products. Near a zero, both errors are
      // equally large.
      if constexpr (sizeof(T) == 8) {
        constexpr double pi_low = 1.2246467991473532e-16;
        if (integer != 0) {
          const double angle_low = std::fma(pi, distance, -angle) + pi_low * distance;
          const double divisor_low = std::fma(pi, wide, -divisor) + pi_low * wide;
          const double cosine = std::sqrt((1 - sine) * (1 + sine));
          value += (cosine * angle_low - value * divisor_low) / divisor;
        }
      }
      return static_cast<T>(integer != 2 * std::nearbyint(integer / 2) ? -value : value);
    }
  }
};

}  // namespace tnp
