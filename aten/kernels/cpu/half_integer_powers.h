// Powers whose exponent is a multiple of a half, as formulas have them (x ** -1.5): products and a square root take a
// third of a power's time.
//
// In double precision each product carries its rounding error along, which one fused multiply-add gives exactly
// (Dekker, Numerische Mathematik 18, 1971; Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005, TwoProductFMA), and so
// do the root and the reciprocal: the result is rounded once, but for errors of 2^-100. Without such an instruction
// there are no powers here. Single precision is computed in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tnp::vml {

#if defined(__FMA__)

// x^(times + half / 2), or its reciprocal.
template <int times, bool half, bool inverse>
inline double half_integer_power(double x) {
  double high = x, low = 0;
  if constexpr (half) {
    high = std::sqrt(x);
    low = std::fma(-high, high, x) / (2 * high);
  }
  for (int k = half ? 0 : 1; k < times; ++k) {
    const double product = high * x;
    low = std::fma(low, x, std::fma(high, x, -product));
    high = product;
  }
  if constexpr (!inverse) return high + low;
  const double quotient = 1 / high;
  return std::fma(quotient, std::fma(-quotient, low, std::fma(-quotient, high, 1.0)), quotient);
}
template <int times, bool half, bool inverse>
inline float half_integer_power(float x) {
  double power = half ? std::sqrt(static_cast<double>(x)) : 1;
  for (int k = 0; k < times; ++k) power *= x;
  return static_cast<float>(inverse ? 1 / power : power);
}

// out[i] = x[i] ** y for multiples of a half between -4 and 4. False, and nothing written: for other exponents, and
// where one of x is zero, negative, NaN, infinite or, in double precision, so large or small that errors of products
// would be subnormal.
template <class T>
bool half_integer_powers(const T* x, T y, T* out, int64_t n) {
  const T halves = 2 * std::fabs(y);
  if (!(halves >= 1 && halves <= 8) || halves != std::floor(halves)) return false;
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr T least = is_double ? T(0x1p-200) : std::numeric_limits<T>::denorm_min();
  constexpr T most = is_double ? T(0x1p200) : std::numeric_limits<T>::max();
  int outside = 0;
  for (int64_t i = 0; i < n; ++i) outside |= !(x[i] >= least && x[i] <= most);
  if (outside) return false;
  auto run = [=]<int count>(std::integral_constant<int, count>) {
    if (y < 0)
      for (int64_t i = 0; i < n; ++i) out[i] = half_integer_power < count / 2, count % 2 == 1, true > (x[i]);
    else
      for (int64_t i = 0; i < n; ++i) out[i] = half_integer_power < count / 2, count % 2 == 1, false > (x[i]);
  };
  switch (static_cast<int>(halves)) {
    case 1:
      return run(std::integral_constant<int, 1>{}), true;
    case 3:
      return run(std::integral_constant<int, 3>{}), true;
    case 4:
      return run(std::integral_constant<int, 4>{}), true;
    case 5:
      return run(std::integral_constant<int, 5>{}), true;
    case 6:
      return run(std::integral_constant<int, 6>{}), true;
    case 7:
      return run(std::integral_constant<int, 7>{}), true;
    case 8:
      return run(std::integral_constant<int, 8>{}), true;
    default:
      return false;
  }
}

#else

template <class T>
bool half_integer_powers(const T*, T, T*, int64_t) {
  return false;
}

#endif

}  // namespace tnp::vml
