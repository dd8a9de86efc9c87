// Elementary functions of complex numbers for device code, computed from real functions. libcu++'s
// versions lose digits by cancellation (the logarithm near 1, inverse functions of small numbers)
// and overflow in intermediate results. Values for infinities, NaNs, signed zeros and branch cuts
// are those of C99 Annex G.
//
// Sources: W. Kahan, "Branch Cuts for Complex Elementary Functions", in The State of the Art in
// Numerical Analysis (1987), for sqrt, tanh and the inverse functions; C99 Annex G for non-finite
// values.
#pragma once

#include "aten/functors/hypot.h"

namespace tnp::math::elementary {

// A complex number with std::complex's members, which complex_math.h requires.
template <class T>
struct Number : Complex<T> {
  TNP_HOST_DEVICE Number(T re, T im) : Complex<T>(re, im) {}
  // implicit: converts the results of the functions below
  TNP_HOST_DEVICE Number(const Complex<T>& z) : Complex<T>(z) {}
  TNP_HOST_DEVICE T real() const { return this->re; }
  TNP_HOST_DEVICE T imag() const { return this->im; }
};

template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T kPi = T(3.14159265358979323846);

template <class T>
TNP_HOST_DEVICE inline Complex<T> times_i(const Complex<T>& z) {
  return Complex<T>(-z.im, z.re);
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> times_minus_i(const Complex<T>& z) {
  return Complex<T>(z.im, -z.re);
}

// log|z|, from |z|^2 - 1 = (x - 1)(x + 1) + y^2 near |z| = 1, so that small logarithms keep their
// digits.
template <class T>
TNP_HOST_DEVICE inline T log_abs(const Complex<T>& z) {
  T x = std::fabs(z.re), y = std::fabs(z.im);
  if (x < y) {
    const T other = x;
    x = y, y = other;
  }
  if (x > T(0.5) && x < T(2)) return T(0.5) * std::log1p((x - 1) * (x + 1) + y * y);
  if (x > std::numeric_limits<T>::max() / 2 && x < kInfinity<T>)
    return std::log(hypot(x / 2, y / 2)) + T(0.69314718055994530942);
  return std::log(hypot(x, y));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> log(const Complex<T>& z) {
  return Complex<T>(log_abs(z), std::atan2(z.im, z.re));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> sqrt(const Complex<T>& z) {
  T x = z.re, y = z.im;
  if (std::isinf(y)) return Complex<T>(kInfinity<T>, y);
  if (std::isnan(x)) return Complex<T>(x, x);
  if (std::isinf(x)) {
    const T other = std::isnan(y) ? y : T(0);
    return x > 0 ? Complex<T>(x, std::isnan(y) ? y : std::copysign(T(0), y)) : Complex<T>(other, std::copysign(-x, y));
  }
  if (std::isnan(y)) return Complex<T>(y, y);
  if (x == 0 && y == 0) return Complex<T>(0, y);
  // Scales so that neither |z| nor |z| / 2 overflows or loses digits.
  constexpr T large = std::numeric_limits<T>::max() / 4, small = std::numeric_limits<T>::min() * 16;
  T unscale = 1;
  if (std::fabs(x) > large || std::fabs(y) > large) {
    x /= 4, y /= 4, unscale = 2;
  } else if (std::fabs(x) < small && std::fabs(y) < small) {
    constexpr T up = sizeof(T) == 4 ? T(0x1p26) : T(0x1p54);
    x *= up, y *= up, unscale = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-27);
  }
  const T root = std::sqrt((std::fabs(x) + hypot(x, y)) / 2), other = std::fabs(y) / (2 * root);
  return x >= 0 ? Complex<T>(unscale * root, std::copysign(unscale * other, y))
                : Complex<T>(unscale * other, std::copysign(unscale * root, y));
}

// exp(x) c and exp(x) s. Also correct if exp(x) overflows but the products do not.
template <class T>
TNP_HOST_DEVICE inline Complex<T> scaled_by_exp(T x, T c, T s) {
  constexpr T most = sizeof(T) == 4 ? T(88) : T(709);
  if (x <= most) {
    const T e = std::exp(x);
    return Complex<T>(e * c, e * s);
  }
  const T rest = std::exp(x < 2 * most ? x - most : most), e = std::exp(most);
  return Complex<T>(c * rest * e, s * rest * e);
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> exp(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (y == 0) return Complex<T>(std::exp(x), y);
  if (!std::isfinite(y)) {
    if (x == -kInfinity<T>) return Complex<T>(0, std::copysign(T(0), y));
    if (x == kInfinity<T>) return Complex<T>(x, kNaN<T>);
    return Complex<T>(kNaN<T>, kNaN<T>);
  }
  if (std::isnan(x)) return Complex<T>(x, x);
  if (std::isinf(x)) return Complex<T>((x > 0 ? x : T(0)) * std::cos(y), (x > 0 ? x : T(0)) * std::sin(y));
  return scaled_by_exp(x, std::cos(y), std::sin(y));
}

// cosh(x) cos(y) + i sinh(x) sin(y)
template <class T>
TNP_HOST_DEVICE inline Complex<T> cosh(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (!std::isfinite(x) || !std::isfinite(y)) {
    if (y == 0) return Complex<T>(std::isnan(x) ? x : kInfinity<T>, std::isnan(x) ? y : std::copysign(T(0), x) * y);
    if (x == 0) return Complex<T>(kNaN<T>, std::copysign(T(0), x));
    if (std::isinf(x)) {
      if (!std::isfinite(y)) return Complex<T>(kInfinity<T>, kNaN<T>);
      return Complex<T>(kInfinity<T> * std::cos(y), x * std::sin(y));
    }
    return Complex<T>(kNaN<T>, kNaN<T>);
  }
  if (y == 0) return Complex<T>(std::cosh(x), std::copysign(T(1), x) * y);
  constexpr T most = sizeof(T) == 4 ? T(88) : T(709);
  if (std::fabs(x) > most)
    return scaled_by_exp(std::fabs(x), std::cos(y) / 2,
                         std::copysign(std::sin(y) / 2, x * std::sin(y) < 0 ? T(-1) : T(1)));
  return Complex<T>(std::cosh(x) * std::cos(y), std::sinh(x) * std::sin(y));
}

// sinh(x) cos(y) + i cosh(x) sin(y)
template <class T>
TNP_HOST_DEVICE inline Complex<T> sinh(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (!std::isfinite(x) || !std::isfinite(y)) {
    if (y == 0) return z;
    if (x == 0) return Complex<T>(x, kNaN<T>);
    if (std::isinf(x)) {
      if (!std::isfinite(y)) return Complex<T>(x, kNaN<T>);
      return Complex<T>(x * std::cos(y), kInfinity<T> * std::sin(y));
    }
    return Complex<T>(kNaN<T>, kNaN<T>);
  }
  if (y == 0) return Complex<T>(std::sinh(x), y);
  constexpr T most = sizeof(T) == 4 ? T(88) : T(709);
  if (std::fabs(x) > most) {
    return scaled_by_exp(std::fabs(x), std::copysign(T(1), x) * std::cos(y) / 2, std::sin(y) / 2);
  }
  return Complex<T>(std::sinh(x) * std::cos(y), std::cosh(x) * std::sin(y));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> tanh(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (!std::isfinite(x)) {
    if (std::isnan(x)) return Complex<T>(x, y == 0 ? y : x);
    return Complex<T>(std::copysign(T(1), x), std::copysign(T(0), std::isfinite(y) ? std::sin(y) * std::cos(y) : y));
  }
  if (!std::isfinite(y)) return Complex<T>(x == 0 ? x : kNaN<T>, kNaN<T>);
  constexpr T most = sizeof(T) == 4 ? T(11) : T(22);
  if (std::fabs(x) >= most) {
    const T e = std::exp(-std::fabs(x));
    return Complex<T>(std::copysign(T(1), x), 4 * std::sin(y) * std::cos(y) * e * e);
  }
  const T t = std::tan(y), beta = 1 + t * t, s = std::sinh(x), rho = std::sqrt(1 + s * s);
  if (std::isinf(t)) return Complex<T>(rho / s, 1 / t);
  const T below = 1 + beta * s * s;
  return Complex<T>(beta * rho * s / below, t / below);
}

// asinh of a z with an infinite or NaN part.
template <class T>
TNP_HOST_DEVICE inline Complex<T> asinh_of_special(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (std::isinf(x)) {
    if (std::isnan(y)) return Complex<T>(x, y);
    return Complex<T>(x, std::copysign(std::isinf(y) ? kPi<T> / 4 : T(0), y));
  }
  if (std::isinf(y)) {
    if (std::isnan(x)) return Complex<T>(kInfinity<T>, x);
    return Complex<T>(std::copysign(kInfinity<T>, x), std::copysign(kPi<T> / 2, y));
  }
  if (std::isnan(x) && y == 0) return z;
  return Complex<T>(kNaN<T>, kNaN<T>);
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> acos_of_special(const Complex<T>& z) {
  const T x = z.re, y = z.im;
  if (std::isinf(x)) {
    if (std::isnan(y)) return Complex<T>(y, x);
    const T angle = std::isinf(y) ? (x > 0 ? kPi<T> / 4 : 3 * kPi<T> / 4) : (x > 0 ? T(0) : kPi<T>);
    return Complex<T>(angle, std::copysign(kInfinity<T>, -y));
  }
  if (std::isinf(y)) return Complex<T>(std::isnan(x) ? x : kPi<T> / 2, -y);
  if (x == 0) return Complex<T>(kPi<T> / 2, kNaN<T>);
  return Complex<T>(kNaN<T>, kNaN<T>);
}

// Whether 1 is negligible beside z and products of z would overflow. asin and acos then use the
// logarithm of 2 |z|.
template <class T>
TNP_HOST_DEVICE inline bool is_large(const Complex<T>& z) {
  constexpr T large = sizeof(T) == 4 ? T(0x1p30) : T(0x1p60);
  return std::fabs(z.re) > large || std::fabs(z.im) > large;
}
template <class T>
TNP_HOST_DEVICE inline T log_of_twice(const Complex<T>& z) {
  return log_abs(z) + T(0.69314718055994530942);
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> asin(const Complex<T>& z) {
  if (!std::isfinite(z.re) || !std::isfinite(z.im)) return times_minus_i(asinh_of_special(times_i(z)));
  if (is_large(z)) return Complex<T>(std::atan2(z.re, std::fabs(z.im)), std::copysign(log_of_twice(z), z.im));
  const Complex<T> a = sqrt(Complex<T>(1 - z.re, -z.im)), b = sqrt(Complex<T>(1 + z.re, z.im));
  return Complex<T>(std::atan2(z.re, a.re * b.re - a.im * b.im),
                    std::copysign(std::asinh(b.im * a.re - b.re * a.im), z.im));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> acos(const Complex<T>& z) {
  if (!std::isfinite(z.re) || !std::isfinite(z.im)) return acos_of_special(z);
  if (is_large(z)) return Complex<T>(std::atan2(std::fabs(z.im), z.re), std::copysign(log_of_twice(z), -z.im));
  const Complex<T> a = sqrt(Complex<T>(1 - z.re, -z.im)), b = sqrt(Complex<T>(1 + z.re, z.im));
  return Complex<T>(2 * std::atan2(a.re, b.re), std::copysign(std::asinh(b.re * a.im - b.im * a.re), -z.im));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> asinh(const Complex<T>& z) {
  if (!std::isfinite(z.re) || !std::isfinite(z.im)) return asinh_of_special(z);
  return times_minus_i(asin(times_i(z)));
}

// acos multiplied by i or -i, whichever makes the real part positive.
template <class T>
TNP_HOST_DEVICE inline Complex<T> acosh(const Complex<T>& z) {
  const Complex<T> w = acos(z);
  if (std::isnan(w.re) && std::isinf(w.im)) return Complex<T>(kInfinity<T>, w.re);
  if (z.re == 0 && std::isnan(z.im)) return Complex<T>(kNaN<T>, kPi<T> / 2);
  if (std::isnan(w.re) || std::isnan(w.im))
    return std::isinf(z.re) ? Complex<T>(kInfinity<T>, kNaN<T>) : Complex<T>(kNaN<T>, kNaN<T>);
  return Complex<T>(std::fabs(w.im), std::copysign(w.re, z.im));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> atanh(const Complex<T>& z) {
  const T x = std::fabs(z.re), y = std::fabs(z.im);
  T re, im;
  constexpr T large = sizeof(T) == 4 ? T(0x1p62) : T(0x1p510);  // its square does not overflow
  if (std::isnan(z.re))
    return Complex<T>(std::isinf(z.im) ? std::copysign(T(0), z.re) : z.re,
                      std::isinf(z.im) ? std::copysign(kPi<T> / 2, z.im) : kNaN<T>);
  if (std::isnan(z.im)) return Complex<T>(std::isinf(z.re) || z.re == 0 ? std::copysign(T(0), z.re) : z.im, z.im);
  if (x > large || y > large) {
    // 1 / z is small, so the real part is x / |z|^2.
    re = std::isinf(x) || std::isinf(y) ? T(0) : x > y ? 1 / (x + y / x * y) : x / y / (y + x / y * x);
    im = kPi<T> / 2;
  } else if (x == 1) {
    if (y == 0) return Complex<T>(std::copysign(kInfinity<T>, z.re), z.im);
    re = std::log(hypot(y, T(2)) / y) / 2;
    im = (kPi<T> / 2 + std::atan(y / 2)) / 2;
  } else {
    re = std::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
    im = std::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  }
  return Complex<T>(std::copysign(re, z.re), std::copysign(im, z.im));
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> sin(const Complex<T>& z) {
  return times_minus_i(sinh(times_i(z)));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> cos(const Complex<T>& z) {
  return cosh(times_i(z));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> tan(const Complex<T>& z) {
  return times_minus_i(tanh(times_i(z)));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> atan(const Complex<T>& z) {
  return times_minus_i(atanh(times_i(z)));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> pow(const Complex<T>& a, const Complex<T>& b) {
  return exp(b * log(a));
}

}  // namespace tnp::math::elementary
