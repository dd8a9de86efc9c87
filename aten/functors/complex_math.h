// Elementary functions of complex numbers, with C99 Annex G's values for infinities, NaNs, signed
// zeros and branch cuts.
//
// Host code calls libm. Device code calls complex_elementary.h, which is as accurate. Functions
// that libm lacks (log1p, expm1, log2, exp2) are implemented here.
#pragma once

#include <complex>

#include "aten/functors/hypot.h"
#if defined(__CUDACC__)
#include "aten/functors/complex_elementary.h"
#endif

namespace tnp::math {

#if defined(__CUDA_ARCH__)
template <class T>
using Native = elementary::Number<T>;
#define TNP_COMPLEX_NAMESPACE elementary
#else
template <class T>
using Native = std::complex<T>;
#define TNP_COMPLEX_NAMESPACE std
#endif

template <class T>
TNP_HOST_DEVICE inline Native<T> native(const Complex<T>& z) {
  return Native<T>(z.re, z.im);
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> from_native(const Native<T>& z) {
  return Complex<T>(z.real(), z.imag());
}

#define TNP_COMPLEX_FUNCTION(name)                                 \
  template <class T>                                               \
  TNP_HOST_DEVICE inline Complex<T> name(const Complex<T>& z) {    \
    return from_native<T>(TNP_COMPLEX_NAMESPACE::name(native(z))); \
  }
TNP_COMPLEX_FUNCTION(exp)
TNP_COMPLEX_FUNCTION(log)
TNP_COMPLEX_FUNCTION(sqrt)
TNP_COMPLEX_FUNCTION(sin)
TNP_COMPLEX_FUNCTION(cos)
TNP_COMPLEX_FUNCTION(tan)
TNP_COMPLEX_FUNCTION(asin)
TNP_COMPLEX_FUNCTION(acos)
TNP_COMPLEX_FUNCTION(atan)
TNP_COMPLEX_FUNCTION(sinh)
TNP_COMPLEX_FUNCTION(cosh)
TNP_COMPLEX_FUNCTION(tanh)
TNP_COMPLEX_FUNCTION(asinh)
TNP_COMPLEX_FUNCTION(acosh)
TNP_COMPLEX_FUNCTION(atanh)
#undef TNP_COMPLEX_FUNCTION

template <class T>
TNP_HOST_DEVICE inline T abs(const Complex<T>& z) {
  return hypot(z.re, z.im);
}
template <class T>
TNP_HOST_DEVICE inline bool isnan(const Complex<T>& z) {
  return z.re != z.re || z.im != z.im;
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> scaled(const Complex<T>& z, T factor) {
  return Complex<T>(z.re * factor, z.im * factor);
}

template <class T>
TNP_HOST_DEVICE inline Complex<T> log2(const Complex<T>& z) {
  return scaled(log(z), T(1.4426950408889634074));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> log10(const Complex<T>& z) {
  return scaled(log(z), T(0.43429448190325182765));
}
template <class T>
TNP_HOST_DEVICE inline Complex<T> exp2(const Complex<T>& z) {
  return exp(scaled(z, T(0.69314718055994530942)));
}

// exp(z) - 1 without cancellation: expm1(x) cos(y) - 2 sin(y/2)^2 + i exp(x) sin(y). Where that
// formula multiplies 0 by infinity or NaN, the result is the limit, as in C's cexp and the Python
// array API standard.
template <class T>
TNP_HOST_DEVICE inline Complex<T> expm1(const Complex<T>& z) {
  if (z.im == 0) return Complex<T>(std::expm1(z.re), z.im);
  if (std::isinf(z.re) && !std::isfinite(z.im))
    return z.re < 0 ? Complex<T>(-1, std::copysign(T(0), z.im)) : Complex<T>(z.re, std::numeric_limits<T>::quiet_NaN());
  T s = std::sin(z.im / 2);
  return Complex<T>(std::expm1(z.re) * std::cos(z.im) - 2 * s * s, std::exp(z.re) * std::sin(z.im));
}
// log(1 + z). |1 + z|^2 - 1 is computed as x (2 + x) + y^2, which keeps the low digits of a small
// z.
template <class T>
TNP_HOST_DEVICE inline Complex<T> log1p(const Complex<T>& z) {
  T angle = std::atan2(z.im, z.re + 1);
  if (std::abs(z.re) < T(0.5) && std::abs(z.im) < T(0.5))
    return Complex<T>(T(0.5) * std::log1p(z.re * (2 + z.re) + z.im * z.im), angle);
  return Complex<T>(std::log(std::hypot(z.re + 1, z.im)), angle);
}

// a^b. Integer exponents below 100 use repeated squaring, which keeps small Gaussian integers
// exact. 0^b follows NumPy's rules.
template <class T>
TNP_HOST_DEVICE inline Complex<T> power(const Complex<T>& a, const Complex<T>& b) {
  if (b.re == 0 && b.im == 0) return Complex<T>(1, 0);
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0) return Complex<T>(0, 0);
    T nan = std::numeric_limits<T>::quiet_NaN();
    return Complex<T>(nan, nan);
  }
  if (b.im == 0 && b.re == std::trunc(b.re) && b.re > -100 && b.re < 100) {
    int n = static_cast<int>(b.re);
    if (n == 1) return a;
    bool invert = n < 0;
    unsigned bits = static_cast<unsigned>(invert ? -n : n);
    Complex<T> result(1, 0), square = a;
    for (bool first = true;; square = square * square) {
      if (bits & 1) {
        result = first ? square : result * square;
        first = false;
      }
      if ((bits >>= 1) == 0) break;
    }
    return invert ? Complex<T>(1, 0) / result : result;
  }
  return from_native<T>(TNP_COMPLEX_NAMESPACE::pow(native(a), native(b)));
}

#undef TNP_COMPLEX_NAMESPACE

// NumPy's order: by the real part, then by the imaginary part. False if either operand has a NaN.
template <class T>
TNP_HOST_DEVICE inline bool less(const Complex<T>& a, const Complex<T>& b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}
template <class T>
TNP_HOST_DEVICE inline bool less_equal(const Complex<T>& a, const Complex<T>& b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}
template <class T>
TNP_HOST_DEVICE inline bool less(T a, T b) {
  return a < b;
}
template <class T>
TNP_HOST_DEVICE inline bool less_equal(T a, T b) {
  return a <= b;
}

}  // namespace tnp::math
