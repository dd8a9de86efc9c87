// Exponentials and logarithms.
#pragma once

#include "aten/functors/complex_math.h"
#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct Exp {
  TNP_HOST_DEVICE T operator()(T x) const { return math::exp(x); }
  static constexpr bool underflows = true;
};

template <class T>
struct Exp2 {
  TNP_HOST_DEVICE T operator()(T x) const { return math::exp2(x); }
  static constexpr bool underflows = true;
};

template <class T>
struct Expm1 {
  TNP_HOST_DEVICE T operator()(T x) const { return math::expm1(x); }
};

template <class T>
struct Log {
  TNP_HOST_DEVICE T operator()(T x) const { return math::log(x); }
  static bool is_pole(T x) { return x == T(0); }
};

template <class T>
struct Log2 {
  TNP_HOST_DEVICE T operator()(T x) const { return math::log2(x); }
  static bool is_pole(T x) { return x == T(0); }
};

template <class T>
struct Log10 {
  TNP_HOST_DEVICE T operator()(T x) const { return math::log10(x); }
  static bool is_pole(T x) { return x == T(0); }
};

template <class T>
struct Log1p {
  TNP_HOST_DEVICE T operator()(T x) const { return math::log1p(x); }
  static bool is_pole(T x) { return x == T(-1); }
};

// log(exp(x) + exp(y)) of complex numbers. The operand with the larger real part takes the role of max(a, b).
template <class T>
struct LogAddExpComplex {
  using R = real_t<T>;
  TNP_HOST_DEVICE T operator()(T x, T y) const {
    if (x != x || y != y) return T(std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN());
    const T most = x.re > y.re ? x : y, least = x.re > y.re ? y : x;
    // Infinities of one sign have no difference. If both real parts are -inf, both exponentials are
    // 0 and their angles do not matter.
    if (most.re == least.re && !(std::fabs(most.re) <= std::numeric_limits<R>::max()))
      return most.re < 0 ? least : math::log(math::exp(least) + math::exp(most));
    return most + math::log1p(math::exp(least - most));
  }
};

// log(exp(a) + exp(b)), computed as max(a, b) + log(1 + exp(-|a - b|)), which does not overflow.
// The two terms may nearly cancel, so float32 computes in float64.
template <class T>
struct LogAddExp {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  TNP_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (is_complex_v<T>) {
      return LogAddExpComplex<T>{}(x, y);
    } else {
      const Wide a = x, b = y, d = a - b;
      if (x == y)
        // Also reached by infinities of one sign, whose difference is NaN.
        return static_cast<T>(a + Wide(0.69314718055994530942));
      return static_cast<T>(d > 0 ? a + std::log1p(std::exp(-d)) : d <= 0 ? b + std::log1p(std::exp(d)) : d);
    }
  }
};

template <class T>
struct LogAddExp2 {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  TNP_HOST_DEVICE T operator()(T x, T y) const {
    constexpr Wide log2_e = Wide(1.4426950408889634074);
    const Wide a = x, b = y, d = a - b;
    if (x == y) return static_cast<T>(a + 1);
    return static_cast<T>(d > 0    ? a + log2_e * std::log1p(std::exp2(-d))
                          : d <= 0 ? b + log2_e * std::log1p(std::exp2(d))
                                   : d);
  }
};

}  // namespace tnp
