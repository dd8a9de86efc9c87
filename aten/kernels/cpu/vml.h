// Vector math: what a loop calls for a whole contiguous piece instead of the functor element by element.
//
// A specialisation for a functor, e.g. of Exp<float>, has
//   static constexpr bool available = true;
//   static void apply(const float* x, float* out, int64_t n);   // one pointer per operand, then per result
// A binary one may have a way for a second operand that is one number for all; false, and nothing written: not for this
// y.
//   static bool apply_constant(const float* x, float y, float* out, int64_t n);
// `out` may be the same memory as an operand, element for element. Errors stay within 1 ULP of the true value.
//
// oneMKL's VML in its HA mode does so: against long double, over 200,000 random arguments each, the worst are tan
// (0.93), hypot (0.85) and sinh (0.81); glibc's asinh, acosh, atanh, cosh, tanh, cbrt and log10 reach 1.5 to 3. Its
// values for infinities, NaNs, signed zeros and subnormals are C99's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "aten/core/floating_point_errors.h"
#include "aten/functors/real_math.h"
#include "aten/kernels/cpu/half_integer_powers.h"

#if defined(TNP_WITH_MKL)
#include <mkl_vml_functions.h>
#endif

namespace tnp {

template <class Functor>
struct VectorMath {
  static constexpr bool available = false;
};

namespace vml {

// Whether a function reported an error: outside its domain, a pole, overflow, underflow.
inline bool take_report() { return std::exchange(floating_point_state.reported, false); }

}  // namespace vml

#if defined(TNP_WITH_MKL)

namespace vml {

// VML_HA | VML_FTZDAZ_OFF | VML_ERRMODE_IGNORE, given with each call: the mode that other code has set does not matter.
inline constexpr MKL_INT64 kMode = 0x00000002 | 0x00140000 | 0x00000100;
static_assert(sizeof(MKL_INT) >= 4);

// VML counts with ints. Over oneTBB it divides even a few hundred elements among threads, whatever
// mkl_set_num_threads() says: its report comes back from them, their flags do not.
inline constexpr int64_t kPiece = 4096;

// VML's status is that of the last call.
template <auto function, class... Arguments>
TNP_INLINE void call(Arguments... arguments) {
  function(arguments..., kMode);
  if (TNP_UNLIKELY(has_error_watch()) && vmlGetErrStatus() != 0) {
    floating_point_state.reported = true;
    vmlClearErrStatus();
  }
}

template <auto function, class T>
inline void unary(const T* x, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i += kPiece) call<function>(static_cast<MKL_INT>(std::min(kPiece, n - i)), x + i, out + i);
}
template <auto function, class T>
inline void binary(const T* x, const T* y, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i += kPiece)
    call<function>(static_cast<MKL_INT>(std::min(kPiece, n - i)), x + i, y + i, out + i);
}

}  // namespace vml

#define TNP_VML_UNARY(functor, name)                                                                  \
  template <class T>                                                                                  \
  struct functor;                                                                                     \
  template <>                                                                                         \
  struct VectorMath<functor<float>> {                                                                 \
    static constexpr bool available = true;                                                           \
    static void apply(const float* x, float* out, int64_t n) { vml::unary<&vms##name>(x, out, n); }   \
  };                                                                                                  \
  template <>                                                                                         \
  struct VectorMath<functor<double>> {                                                                \
    static constexpr bool available = true;                                                           \
    static void apply(const double* x, double* out, int64_t n) { vml::unary<&vmd##name>(x, out, n); } \
  };
#define TNP_VML_DOUBLE(functor, name)                                                                 \
  template <class T>                                                                                  \
  struct functor;                                                                                     \
  template <>                                                                                         \
  struct VectorMath<functor<double>> {                                                                \
    static constexpr bool available = true;                                                           \
    static void apply(const double* x, double* out, int64_t n) { vml::unary<&vmd##name>(x, out, n); } \
  };
#define TNP_VML_BINARY(functor, name)                                             \
  template <class T>                                                              \
  struct functor;                                                                 \
  template <>                                                                     \
  struct VectorMath<functor<float>> {                                             \
    static constexpr bool available = true;                                       \
    static void apply(const float* x, const float* y, float* out, int64_t n) {    \
      vml::binary<&vms##name>(x, y, out, n);                                      \
    }                                                                             \
  };                                                                              \
  template <>                                                                     \
  struct VectorMath<functor<double>> {                                            \
    static constexpr bool available = true;                                       \
    static void apply(const double* x, const double* y, double* out, int64_t n) { \
      vml::binary<&vmd##name>(x, y, out, n);                                      \
    }                                                                             \
  };

TNP_VML_UNARY(Exp, Exp)
TNP_VML_UNARY(Exp2, Exp2)
TNP_VML_DOUBLE(Expm1, Expm1)
TNP_VML_UNARY(Log, Ln)
TNP_VML_UNARY(Log2, Log2)
TNP_VML_UNARY(Log10, Log10)
TNP_VML_DOUBLE(Log1p, Log1p)
TNP_VML_UNARY(Sin, Sin)
TNP_VML_UNARY(Cos, Cos)
TNP_VML_UNARY(Tan, Tan)
TNP_VML_UNARY(Asin, Asin)
TNP_VML_UNARY(Acos, Acos)
TNP_VML_UNARY(Atan, Atan)
TNP_VML_DOUBLE(Sinh, Sinh)
TNP_VML_DOUBLE(Cosh, Cosh)
TNP_VML_UNARY(Tanh, Tanh)
TNP_VML_DOUBLE(Asinh, Asinh)
TNP_VML_DOUBLE(Acosh, Acosh)
TNP_VML_UNARY(Atanh, Atanh)
TNP_VML_UNARY(Cbrt, Cbrt)
TNP_VML_UNARY(Erf, Erf)
TNP_VML_BINARY(Atan2, Atan2)
TNP_VML_BINARY(Fmod, Fmod)

namespace vml {

// Powers whose exponent is one number for all, as in x ** 2: products, quotients and roots, correctly rounded, where
// they are.
template <auto function, class T>
struct PowerMath {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) { binary<function>(x, y, out, n); }
  static bool apply_constant(const T* x, T y, T* out, int64_t n) {
    if (y == T(2))
      for (int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
    else if (y == T(1))
      for (int64_t i = 0; i < n; ++i) out[i] = x[i];
    else if (y == T(-1))
      for (int64_t i = 0; i < n; ++i) out[i] = T(1) / x[i];
    else
      return half_integer_powers(x, y, out, n);
    return true;
  }
};

// Calls use(i, fmod(x[i], y[i])) for each i; VML's fmod takes 1 ns where libm's takes 40.
template <class T, class F>
inline void with_fmod(const T* x, const T* y, int64_t n, F&& use) {
  constexpr int64_t piece = 512;
  T mods[piece];
  for (int64_t start = 0; start < n; start += piece) {
    int64_t length = std::min(piece, n - start);
    VectorMath<Fmod<T>>::apply(x + start, y + start, mods, length);
    for (int64_t i = 0; i < length; ++i) use(start + i, mods[i]);
  }
}

template <class T>
struct RemainderMath {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) {
    with_fmod(x, y, n, [=](int64_t i, T mod) { out[i] = math::python_remainder(y[i], mod); });
  }
};
template <class T>
struct FloorDivideMath {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) {
    with_fmod(x, y, n, [=](int64_t i, T mod) { out[i] = math::floor_quotient(x[i], y[i], mod); });
  }
};
template <class T>
struct DivmodMath {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* quotient, T* remainder, int64_t n) {
    with_fmod(x, y, n, [=](int64_t i, T mod) {
      auto [q, r] = math::python_divmod(x[i], y[i], mod);
      quotient[i] = q;
      remainder[i] = r;
    });
  }
};

}  // namespace vml

template <class T>
struct Power;
template <>
struct VectorMath<Power<float>> : vml::PowerMath<&vmsPow, float> {};
template <>
struct VectorMath<Power<double>> : vml::PowerMath<&vmdPow, double> {};

#define TNP_VML_DIVISION(functor)                                   \
  template <class T>                                                \
  struct functor;                                                   \
  template <>                                                       \
  struct VectorMath<functor<float>> : vml::functor##Math<float> {}; \
  template <>                                                       \
  struct VectorMath<functor<double>> : vml::functor##Math<double> {};
TNP_VML_DIVISION(Remainder)
TNP_VML_DIVISION(FloorDivide)
TNP_VML_DIVISION(Divmod)
#undef TNP_VML_DIVISION

// Note [float by way of double]: for these VML takes 5 to 30 ns a float. A few operations around a fast double function
// do it in 2 to 4, and the one rounding at the end leaves little more than half an ULP.
namespace vml {

template <auto function, class Before, class After>
inline void by_way_of_double(const float* x, float* out, int64_t n, Before&& before, After&& after) {
  constexpr int64_t piece = 512;
  double values[piece];
  for (int64_t start = 0; start < n; start += piece) {
    int64_t length = std::min(piece, n - start);
    for (int64_t i = 0; i < length; ++i) values[i] = before(static_cast<double>(x[start + i]));
    call<function>(static_cast<MKL_INT>(length), values, values);
    for (int64_t i = 0; i < length; ++i)
      out[start + i] = static_cast<float>(after(static_cast<double>(x[start + i]), values[i]));
  }
}

}  // namespace vml

#define TNP_VML_FLOAT(functor, name, before, after)                                                                    \
  template <>                                                                                                          \
  struct VectorMath<functor<float>> {                                                                                  \
    static constexpr bool available = true;                                                                            \
    static void apply(const float* x, float* out, int64_t n) {                                                         \
      vml::by_way_of_double<&vmd##name>(                                                                               \
          x, out, n, [](double x) { return before; }, [](double x, double v) { return static_cast<void>(x), after; }); \
    }                                                                                                                  \
  };
TNP_VML_FLOAT(Sinh, Sinh, x, v)
TNP_VML_FLOAT(Cosh, Cosh, x, v)
// Near 0 the first terms of the series, where the difference or the logarithm would lose digits.
TNP_VML_FLOAT(Expm1, Exp, x, std::fabs(x) < 1e-5 ? x * (1 + 0.5 * x) : v - 1)
TNP_VML_FLOAT(Log1p, Ln, 1 + x, std::fabs(x) < 1e-5 ? x * (1 - 0.5 * x) : v)
TNP_VML_FLOAT(Asinh, Ln, std::fabs(x) + std::sqrt(x * x + 1),
              std::fabs(x) < 1e-4 ? x * (1 - x * x / 6) : std::copysign(v, x))
// The logarithm of -1 is NaN, and reported.
TNP_VML_FLOAT(Acosh, Ln, x < 1 ? -1.0 : x + std::sqrt(x * x - 1), v)
#undef TNP_VML_FLOAT

#undef TNP_VML_UNARY
#undef TNP_VML_DOUBLE
#undef TNP_VML_BINARY

#endif

}  // namespace tnp
