// Complex numbers for host and device. std::complex does not vectorise well (its product checks for
// NaN) and cannot be called in device code. The product here is the plain formula, as in NumPy.
#pragma once

#include <cmath>

#include "aten/core/macros.h"

namespace tnp {

template <class T>
// Aligned like T, as std::complex and NumPy's complex numbers are: arrays of other libraries may
// start at any multiple of alignof(T).
struct Complex {
  using value_type = T;
  T re, im;

  Complex() = default;
  constexpr TNP_HOST_DEVICE Complex(T real, T imag = T(0)) : re(real), im(imag) {}
  template <class U>
  constexpr explicit TNP_HOST_DEVICE Complex(const Complex<U>& z)
      : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}

  constexpr TNP_HOST_DEVICE Complex operator-() const { return {-re, -im}; }
  constexpr TNP_HOST_DEVICE Complex& operator+=(const Complex& b) { return re += b.re, im += b.im, *this; }
  constexpr TNP_HOST_DEVICE Complex& operator-=(const Complex& b) { return re -= b.re, im -= b.im, *this; }
  constexpr TNP_HOST_DEVICE Complex& operator*=(const Complex& b) { return *this = *this * b; }
  constexpr TNP_HOST_DEVICE Complex& operator/=(const Complex& b) { return *this = *this / b; }

  friend constexpr TNP_HOST_DEVICE Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend constexpr TNP_HOST_DEVICE Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend constexpr TNP_HOST_DEVICE Complex operator*(const Complex& a, const Complex& b) {
    // The negated operand keeps GCC 12 from fusing this into vfmaddsub (Note [Complex products]).
    // `a.re * b.re - a.im * b.im` has the same bits if it is not fused.
    return {a.re * b.re + -a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Smith's algorithm (Communications of the ACM 5 (1962) 435) avoids overflow in |b|^2. Both of
  // its cases share one formula with selected operands. With two branches GCC 12 would fuse the
  // product and difference of one of them.
  friend constexpr TNP_HOST_DEVICE Complex operator/(const Complex& a, const Complex& b) {
    T abs_re = b.re > 0 ? b.re : T(0) - b.re, abs_im = b.im > 0 ? b.im : T(0) - b.im;  // never -0
    const bool swap = !(abs_re >= abs_im);
    if (abs_re == 0 && abs_im == 0) return {a.re / abs_re, a.im / abs_re};
    T large = swap ? b.im : b.re, small = swap ? b.re : b.im, ratio = small / large,
      scale = T(1) / (large + small * ratio);
    T first = swap ? a.im : a.re, second = swap ? a.re : a.im, product = first * ratio;
    return {(first + second * ratio) * scale, ((swap ? -second : second) + (swap ? product : -product)) * scale};
  }
  friend constexpr TNP_HOST_DEVICE bool operator==(const Complex& a, const Complex& b) {
    return a.re == b.re && a.im == b.im;
  }
  friend constexpr TNP_HOST_DEVICE bool operator!=(const Complex& a, const Complex& b) { return !(a == b); }
};

}  // namespace tnp
