// Elementary functions in plain arithmetic, without branches or calls, so that loops over functors
// that use them vectorise in every instruction set. Sources of the methods: W. J. Cody and W.
// Waite, Software Manual for the Elementary Functions (1980); coefficients of exp: minimax
// polynomials (Sollya's fpminimax), as in vector_math.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "aten/core/macros.h"

namespace tnp::vectorizable {

// a b + c, fused if the processor has FMA, otherwise rounded twice. For terms where that difference
// does not matter. Loops that use it are compiled once per instruction set.
TNP_HOST_DEVICE inline float mad(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__) || defined(__CUDA_ARCH__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
TNP_HOST_DEVICE inline double mad(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__) || defined(__CUDA_ARCH__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// The polynomial first + x (second + x (third + ...)). Unrolled by recursion, since an inner loop
// would prevent vectorisation.
template <class T>
TNP_HOST_DEVICE inline T polynomial(T, T last) {
  return last;
}
template <class T, class... Rest>
TNP_HOST_DEVICE inline T polynomial(T x, T first, T second, Rest... rest) {
  return mad(x, polynomial(x, second, rest...), first);
}

// exp(x), within 2 ULP; overflows to infinity, underflows to 0, and propagates NaN.
TNP_HOST_DEVICE inline float exp(float x) {
  constexpr float kRounder = 0x1.8p23f;
  x = x < -120.0f ? -120.0f : x;
  x = x > 120.0f ? 120.0f : x;
  const float shifted = mad(x, 0x1.715476p0f, kRounder), n = shifted - kRounder;
  const float r = mad(n, -0x1.7f7d1cp-20f, mad(n, -0x1.62e4p-1f, x));
  const float e =
      1.0f + mad(r * r, polynomial(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.5554e8p-5f, 0x1.120c38p-7f, 0x1.6d4e78p-10f), r);
  // 2^n as a product of two factors, each of which is a normal number.
  const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounder), half = exponent >> 1;
  return e * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((exponent - half + 127) << 23);
}
TNP_HOST_DEVICE inline double exp(double x) {
  constexpr double kRounder = 0x1.8p52;
  x = x < -1100.0 ? -1100.0 : x;
  x = x > 1100.0 ? 1100.0 : x;
  const double shifted = mad(x, 0x1.71547652b82fep0, kRounder), n = shifted - kRounder;
  const double r = mad(n, -0x1.ef35793c7673p-45, mad(n, -0x1.62e42fefa38p-1, x));
  const double e =
      1.0 + mad(r * r,
                polynomial(r, 0x1.0000000000001p-1, 0x1.5555555555558p-3, 0x1.5555555553cb8p-5, 0x1.111111110f8cbp-7,
                           0x1.6c16c178bac58p-10, 0x1.a01a01afc2249p-13, 0x1.a019b877dd295p-16, 0x1.71ddf762c3d1fp-19,
                           0x1.289221116e944p-22, 0x1.af620c5dcc12cp-26),
                r);
  const int64_t exponent = std::bit_cast<int64_t>(shifted) - std::bit_cast<int64_t>(kRounder), half = exponent >> 1;
  return e * std::bit_cast<double>((half + 1023) << 52) * std::bit_cast<double>((exponent - half + 1023) << 52);
}

// 1 / (2 k + 1) + z / (2 k + 3) + ... + z^(n - k) / (2 n + 1): the terms from k on of the series of
// artanh.
template <int k, int n, class T>
TNP_HOST_DEVICE inline T artanh_series(T z) {
  if constexpr (k == n)
    return T(1) / T(2 * n + 1);
  else
    return mad(z, artanh_series<k + 1, n>(z), T(1) / T(2 * k + 1));
}
// log(1 + y) for 0 <= y <= 1: 2 artanh(s) with s = y / (2 + y) <= 1/3. The series is truncated at
// the type's precision.
template <class T>
TNP_HOST_DEVICE inline T log1p_to_one(T y) {
  const T s = y / (T(2) + y);
  return T(2) * s * artanh_series < 0, sizeof(T) == 4 ? 8 : 17 > (s * s);
}

// 1 + x / 2 (1 + x / 3 (... + x / n)), starting at 1 + x / k.
template <int k, int n, class T>
TNP_HOST_DEVICE inline T expm1_series(T x) {
  if constexpr (k == n)
    return T(1) + x / T(n);
  else
    return mad(x * (T(1) / T(k)), expm1_series<k + 1, n>(x), T(1));
}
// exp(x) - 1 for x <= 0. Above -1/4 it uses the series, which is accurate enough there.
template <class T>
TNP_HOST_DEVICE inline T expm1_of_negative(T x) {
  const T near = x * expm1_series < 2, sizeof(T) == 4 ? 7 : 13 > (x), far = exp(x) - T(1);
  return x > T(-0.25) ? near : far;
}

// log(1 + exp(x)), as max(x, 0) plus the contribution of the smaller term.
template <class T>
TNP_HOST_DEVICE inline T softplus(T x) {
  return (x < T(0) ? T(0) : x) + log1p_to_one(exp(-std::abs(x)));
}

// 1 / (1 + exp(-x)); accurate for small results.
template <class T>
TNP_HOST_DEVICE inline T sigmoid(T x) {
  const T e = exp(-std::abs(x));
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

// The standard normal distribution at x: the probability of values below x, and the density.
template <class T>
struct Normal {
  T below, density;
};
template <class T>
TNP_HOST_DEVICE inline Normal<T> normal(T x) {
  if constexpr (sizeof(T) == 4) {
    // erfc(z) = exp(-z^2) t P(t), t = 1 / (1 + 3 z / 8). P has a relative error of at most 1.2e-8
    // for z up to 10 (a least-squares fit, reweighted until the errors were equal).
    float z = std::abs(x) * 0.70710678f;
    z = z > 10.0f ? 10.0f : z;
    const float t = 1.0f / (1.0f + 0.375f * z), e = exp(-0.5f * x * x);
    const float tail = 0.5f * e * t *
                       polynomial(t, 0.21161354970397134f, 0.2106483846499359f, 0.20532267096720538f,
                                  0.12146824809193454f, 0.27381308225281425f, -0.2295449704333107f, 0.4325171562976414f,
                                  -0.287389246400852f, 0.061551130726767225f);
    return {x < 0.0f ? tail : 1.0f - tail, e * 0.3989422804f};
  } else {
    return {T(0.5) * std::erfc(x * T(-0.7071067811865475244)), std::exp(T(-0.5) * x * x) * T(0.3989422804014326779)};
  }
}

}  // namespace tnp::vectorizable
