// Bessel functions.
#pragma once

#include "aten/special/airy_tables.h"
#include "aten/special/bessel_i_tables.h"
#include "aten/special/bessel_k_tables.h"

namespace tnp::special {

constexpr double kRootPi = 0.56418958354775628695, kSqrtOfHalf = 0.70710678118654752440;  // 1 / sqrt(pi)

// I_n(x), or exp(-|x|) I_n(x): below 8 by the series in x^2 / 4 (NIST DLMF 10.25.2), then by exp(-x) sqrt(x) I(x), a
// function of 1 / x.
TNP_HOST_DEVICE inline double bessel_i(int order, bool scaled, double x) {
  const double a = std::abs(x);
  if (a < 8) {
    const double square = 0.25 * a * a, value = order == 0 ? i0_series(square) : 0.5 * x * i1_series(square);
    return scaled ? value * std::exp(-a) : value;
  }
  const double t = a < 1e300 ? 16 / a - 1 : -1, f = order == 0 ? i0_large(t) : std::copysign(i1_large(t), x);
  if (scaled) return f / std::sqrt(a);
  if (a < 700) return std::exp(a) * f / std::sqrt(a);
  const double half = std::exp(0.5 * a);  // exp(a) may overflow where I(a) does not
  return a == kInfinity ? std::copysign(a, f) : half * (f / std::sqrt(a)) * half;
}

// K_n(x), or exp(x) K_n(x): up to 1 by the series (NIST DLMF 10.31.2), then by exp(x) sqrt(x) K(x), a function of 1 /
// x.
TNP_HOST_DEVICE inline double bessel_k(int order, bool scaled, double x) {
  if (x < 0 || x != x) return kNaN;
  if (x == 0) return kInfinity;
  if (x <= 1) {
    const double square = 0.25 * x * x;
    const double value = order == 0 ? k0_series(square) - std::log(x) * i0_series(square)
                                    : 1 / x + x * (0.5 * std::log(x) * i1_series(square) + k1_series(square));
    return scaled ? value * std::exp(x) : value;
  }
  const double u = 1 / x;
  const double f = order == 0 ? (x < 2 ? k0_middle(4 * u - 3) : k0_large(4 * u - 1))
                              : (x < 2 ? k1_middle(4 * u - 3) : k1_large(4 * u - 1));
  return (scaled ? f : std::exp(-x) * f) / std::sqrt(x);
}

// Airy's function. For large |x| by zeta = 2/3 |x|^(3/2), of which exp and the phase are taken with what its rounding
// lost (NIST DLMF 9.7.5, 9.7.9). Near zeros the error is absolute.
TNP_HOST_DEVICE inline double airy_ai(double x) {
  if (std::isinf(x)) return kNaN;
  if (x > 103.892) return 0;
  if (x >= -4.5 && x < 2) {
    if (x < -3) return airy_a((x + 3.75) / 0.75);
    if (x < -1.5) return airy_b((x + 2.25) / 0.75);
    if (x < 0) return airy_c((x + 0.75) / 0.75);
    return x < 1 ? airy_d(2 * x - 1) : airy_e(2 * x - 3);
  }
  const double a = std::abs(x), root = std::sqrt(a), root_low = std::fma(-root, root, a) / (2 * root);
  const double cube = a * root, cube_low = std::fma(a, root, -cube) + a * root_low;
  const double zeta = cube / 1.5, zeta_low = (std::fma(-1.5, zeta, cube) + cube_low) / 1.5;
  const double scale = kRootPi / std::sqrt(root);
  if (x > 0) {
    const double t = 2 / zeta / 0.5303300858899107 - 1;
    return 0.5 * scale * std::exp(-zeta) * (1 - zeta_low) * airy_decay(t);
  }
  const double v = 1 / (zeta * zeta), t = 2 * v / 0.0247 - 1, s = std::sin(zeta), c = std::cos(zeta);
  // cos and sin of zeta + zeta_low - pi / 4
  const double cosine = (c + s) * kSqrtOfHalf, sine = (s - c) * kSqrtOfHalf;
  const double p = airy_cosine(t), q = airy_sine(t) / zeta;
  return scale * ((cosine * p + sine * q) + zeta_low * (cosine * q - sine * p));
}

TNP_HOST_DEVICE inline double spherical_bessel_j0(double x) { return std::isinf(x) ? 0 : x == 0 ? 1 : std::sin(x) / x; }

}  // namespace tnp::special
