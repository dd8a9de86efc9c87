// Bessel functions.
#pragma once

#include "aten/special/airy_tables.h"
#include "aten/special/bessel_i_tables.h"
#include "aten/special/bessel_j_y_tables.h"
#include "aten/special/bessel_k_tables.h"

namespace tnp::special {

constexpr double kInverseSqrtPi = 0.5641895835477563, kInverseSqrtPiLow = 7.66772980658294e-18,
                 kSqrtOfHalf = 0.70710678118654752440;

// J of order 0 or 1, or Y if `second_kind`, for x >= 25. By Hankel's expansion (NIST DLMF 10.17.3,
// 10.17.4).
TNP_HOST_DEVICE inline double bessel_far(int order, bool second_kind, double x) {
  if (std::isinf(x)) return 0;
  const double square = 4.0 * order, y = 0.125 / x;
  double even = 1, odd = 0, term = 1;
  for (int k = 1; k < 24 && std::abs(term) > 1e-17; ++k) {
    term *= (square - (2.0 * k - 1) * (2.0 * k - 1)) * y / k;
    const double signed_term = k / 2 % 2 == 0 ? term : -term;
    (k % 2 == 0 ? even : odd) += signed_term;
  }
  // Sum and difference of sine and cosine. One of the two cancels and is recovered from their
  // product.
  const double sine = std::sin(x), cosine = std::cos(x);
  double sum = sine + cosine, difference = sine - cosine;
  if (x < 1e300) {
    const double product = -std::cos(2 * x);
    if (sine * cosine < 0)
      sum = product / difference;
    else
      difference = product / sum;
  }
  const double in_phase = order == 0 ? sum : difference, quadrature = order == 0 ? difference : -sum;
  const double wave = second_kind ? even * quadrature + odd * in_phase : even * in_phase - odd * quadrature;
  return kInverseSqrtPi * wave / std::sqrt(x);
}

// J0, J1, Y0 and Y1. Around their first zeros they use polynomials from which the zeros are divided
// out, so that nearby values keep their digits. Elsewhere they use the C library. Beyond the first
// zeros CUDA's functions have errors up to 5e-12 instead of a few ULP, so device code uses Hankel's
// expansion there.
#if defined(__CUDA_ARCH__)
constexpr bool kFarByExpansion = true;
#else
constexpr bool kFarByExpansion = false;
#endif
TNP_HOST_DEVICE inline double bessel_j0(double x) {
  const double a = std::abs(x);
  if (!(a >= kJ0Start && a < kJ0End)) return kFarByExpansion && a >= kJ0End ? bessel_far(0, false, a) : ::j0(x);
  const DoubleDouble value = bessel_j0_pieces(a);
  return value.high + value.low;
}

TNP_HOST_DEVICE inline double bessel_j1(double x) {
  const double a = std::abs(x);
  if (!(a >= kJ1Start && a < kJ1End)) {
    if (!kFarByExpansion || !(a >= kJ1End)) return ::j1(x);
    return x < 0 ? -bessel_far(1, false, a) : bessel_far(1, false, a);
  }
  const DoubleDouble value = bessel_j1_pieces(a);
  return x < 0 ? -(value.high + value.low) : value.high + value.low;
}

TNP_HOST_DEVICE inline double bessel_y0(double x) {
  if (x <= 0) return x == 0 ? -kInfinity : kNaN;
  if (!(x >= kY0Start && x < kY0End)) return kFarByExpansion && x >= kY0End ? bessel_far(0, true, x) : ::y0(x);
  const DoubleDouble value = bessel_y0_pieces(x);
  return value.high + value.low;
}

TNP_HOST_DEVICE inline double bessel_y1(double x) {
  if (x <= 0) return x == 0 ? -kInfinity : kNaN;
  if (!(x >= kY1Start && x < kY1End)) return kFarByExpansion && x >= kY1End ? bessel_far(1, true, x) : ::y1(x);
  const DoubleDouble value = bessel_y1_pieces(x);
  return value.high + value.low;
}

// x^2 / 4, or 0 for x < 1e-20: there the square is negligible beside 1, and subnormal numbers are
// slow.
TNP_HOST_DEVICE inline DoubleDouble quarter_square(double x) {
  return x < 1e-20 ? DoubleDouble{0, 0} : two_product(0.5 * x, 0.5 * x);
}

// I of order 0 or 1, multiplied by exp(-|x|) if `scaled`. For |x| < 8 computed from the series in
// x^2 / 4 (NIST DLMF 10.25.2), otherwise from exp(-x) sqrt(x) I(x) as a function of 1 / x.
TNP_HOST_DEVICE inline double bessel_i(int order, bool scaled, double x) {
  const double a = std::abs(x);
  if (a < 8) {
    const DoubleDouble square = quarter_square(a);
    const DoubleDouble value = order == 0 ? i0_series(square) : i1_series(square) * (0.5 * x);
    return scaled ? rounded_product(std::exp(-a), value) : value.high + value.low;
  }
  const double t = a < 1e300 ? 16 / a - 1 : -1;
  DoubleDouble f = order == 0 ? i0_large(t) : i1_large(t);
  if (order == 1 && x < 0) f = -f;
  if (a == kInfinity) return scaled ? std::copysign(0.0, f.high) : std::copysign(a, f.high);
  const DoubleDouble value = over_root(f, a);
  if (scaled) return value.high + value.low;
  if (a < 700) return rounded_product(std::exp(a), value);
  // exp(a) may overflow although I(a) does not. a - 8 is exact.
  return rounded_product(std::exp(a - 8), value * DoubleDouble{2980.9579870417283, -2.7103295816873633e-14});
}

// K of order 0 or 1, multiplied by exp(x) if `scaled`. For x <= 1 computed from the series (NIST
// DLMF 10.31.2), otherwise from exp(x) sqrt(x) K(x) as a function of 1 / x.
TNP_HOST_DEVICE inline double bessel_k(int order, bool scaled, double x) {
  if (x < 0 || x != x) return kNaN;
  if (x == 0) return kInfinity;
  if (x <= 1) {
    const DoubleDouble square = quarter_square(x);
    const double logarithm = std::log(x);
    DoubleDouble value;
    if (order == 0) {
      const DoubleDouble i = i0_series(square);
      value = k0_series(square) + two_product(-logarithm, i.high) + -logarithm * i.low;
    } else {
      if (x < 1e-300) return 1 / x;
      const DoubleDouble i = i1_series(square);
      value = DoubleDouble{1, 0} / x + (k1_series(square) + two_product(0.5 * logarithm, i.high)) * x;
    }
    return scaled ? rounded_product(std::exp(x), value) : value.high + value.low;
  }
  if (x == kInfinity) return 0;
  const double u = 1 / x;
  const DoubleDouble f = order == 0 ? (x < 2 ? k0_middle(4 * u - 3) : k0_large(4 * u - 1))
                                    : (x < 2 ? k1_middle(4 * u - 3) : k1_large(4 * u - 1));
  const DoubleDouble value = over_root(f, x);
  return scaled ? value.high + value.low : rounded_product(std::exp(-x), value);
}

// (x - root) * p
TNP_HOST_DEVICE inline double from_root(double x, DoubleDouble root, DoubleDouble p) {
  return (p * (two_sum(x, -root.high) + -root.low)).high;
}

// The Airy function Ai. For large |x| it uses zeta = 2/3 |x|^(3/2), and corrects exp and the phase
// for zeta's rounding error (NIST DLMF 9.7.5, 9.7.9). Near zeros below -4.5 only the absolute error
// is small.
TNP_HOST_DEVICE inline double airy_ai(double x) {
  if (std::isinf(x)) return kNaN;
  if (x > 103.892) return 0;
  if (x >= -4.5 && x < 2) {
    if (x < -3) return from_root(x, {-4.08794944413097, -3.387261694242901e-16}, airy_a((x + 3.75) / 0.75));
    if (x < -1.5) return from_root(x, {-2.338107410459767, -3.912260409818305e-17}, airy_b((x + 2.25) / 0.75));
    const DoubleDouble value = x < 0 ? airy_c((x + 0.75) / 0.75) : x < 1 ? airy_d(2 * x - 1) : airy_e(2 * x - 3);
    return value.high + value.low;
  }
  const double a = std::abs(x), root = std::sqrt(a), root_low = std::fma(-root, root, a) / (2 * root);
  const double cube = a * root, cube_low = std::fma(a, root, -cube) + a * root_low;
  const double zeta = cube / 1.5, zeta_low = (std::fma(-1.5, zeta, cube) + cube_low) / 1.5;
  if (x > 0) {
    const double t = 2 / zeta / 0.5303300858899107 - 1;
    DoubleDouble value = over_root(airy_decay(t) * DoubleDouble{0.5 * kInverseSqrtPi, 0.5 * kInverseSqrtPiLow}, root);
    value.low -= value.high * (zeta_low + 0.5 * root_low / root);
    return rounded_product(std::exp(-zeta), value);
  }
  const double scale = kInverseSqrtPi / std::sqrt(root);
  const double v = 1 / (zeta * zeta), t = 2 * v / 0.0247 - 1, s = std::sin(zeta), c = std::cos(zeta);
  // cos and sin of zeta + zeta_low - pi / 4
  const double cosine = (c + s) * kSqrtOfHalf, sine = (s - c) * kSqrtOfHalf;
  const double p = airy_cosine(t), q = airy_sine(t) / zeta;
  double cosine_low = 1, sine_low = zeta_low;
  if (std::abs(zeta_low) > 1e-9) {
    cosine_low = std::cos(zeta_low);
    sine_low = std::sin(zeta_low);
  }
  return scale * ((cosine * p + sine * q) * cosine_low + sine_low * (cosine * q - sine * p));
}

TNP_HOST_DEVICE inline double spherical_bessel_j0(double x) { return std::isinf(x) ? 0 : x == 0 ? 1 : std::sin(x) / x; }

}  // namespace tnp::special
