// Vector math: functors with a specialisation process a contiguous block in one call, instead of
// one element at a time.
//
// A specialisation for a functor, e.g. of Exp<float>, has
//   static constexpr bool available = true;
//   static void apply(const float* x, float* out, int64_t n);   // one pointer per operand, then per result
// A specialisation for a binary functor may also handle a second operand that is a single number:
//   static void apply_constant(const float* x, float y, float* out, int64_t n);
// `out` may be one of the operands. Errors stay within 1 ULP of the true value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/functors/real_math.h"
#include "aten/kernels/cpu/pointwise/vector_math.h"

namespace tnp {

template <class Functor>
struct VectorMath {
  static constexpr bool available = false;
};

namespace vectorized {

// Returns and clears whether a function has reported a possible floating-point error.
inline bool take_report() { return std::exchange(floating_point_state.reported, false); }

// Reports a possible error, if errors are watched. The processor's flags prove nothing here,
// because intermediate steps may raise them although the result has no error.
TNP_INLINE void report(bool hint) {
  if (TNP_UNLIKELY(has_error_watch())) {
    take_floating_point_flags();
    floating_point_state.reported |= hint;
  }
}

}  // namespace vectorized

template <class T>
concept Float32Or64 = std::is_same_v<T, float> || std::is_same_v<T, double>;

#define TNP_VECTORIZED(functor, name)                                 \
  template <class T>                                                  \
  struct functor;                                                     \
  template <Float32Or64 T>                                            \
  struct VectorMath<functor<T>> {                                     \
    static constexpr bool available = true;                           \
    static void apply(const T* x, T* out, int64_t n) {                \
      vectorized::report(chosen_vector_math_of<T>().name(x, out, n)); \
    }                                                                 \
  };
TNP_VECTOR_MATH_UNARY(TNP_VECTORIZED)
#undef TNP_VECTORIZED

namespace vectorized {

template <class T, auto function>
struct BinaryMath {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) {
    report((chosen_vector_math_of<T>().*function)(x, y, out, n));
  }
};

}  // namespace vectorized

template <class T>
struct Power;
template <Float32Or64 T>
struct VectorMath<Power<T>> : vectorized::BinaryMath<T, &VectorMathFunctions<T>::pow> {
  static void apply_constant(const T* x, T y, T* out, int64_t n) {
    vectorized::report(chosen_vector_math_of<T>().pow_constant(x, y, out, n));
  }
};
template <class T>
struct Atan2;
template <Float32Or64 T>
struct VectorMath<Atan2<T>> : vectorized::BinaryMath<T, &VectorMathFunctions<T>::atan2> {};
template <class T>
struct Fmod;
template <Float32Or64 T>
struct VectorMath<Fmod<T>> : vectorized::BinaryMath<T, &VectorMathFunctions<T>::fmod> {};

namespace vectorized {

// Calls use(i, fmod(x[i], y[i])) for each i. The vectorised fmod takes 1 ns, the C library's 40 ns.
// Floating-point flags that `use` raises are kept.
template <class T, class F>
inline void with_fmod(const T* x, const T* y, int64_t n, F&& use) {
  constexpr int64_t piece = 512;
  T mods[piece];
  for (int64_t start = 0; start < n; start += piece) {
    const int64_t length = std::min(piece, n - start);
    if (chosen_vector_math_of<T>().fmod(x + start, y + start, mods, length)) floating_point_state.reported = true;
    for (int64_t i = 0; i < length; ++i) use(start + i, mods[i]);
  }
}

}  // namespace vectorized

template <class T>
struct Remainder;
template <Float32Or64 T>
struct VectorMath<Remainder<T>> {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) {
    vectorized::with_fmod(x, y, n, [=](int64_t i, T mod) { out[i] = math::python_remainder(y[i], mod); });
  }
};
template <class T>
struct FloorDivide;
template <Float32Or64 T>
struct VectorMath<FloorDivide<T>> {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* out, int64_t n) {
    vectorized::with_fmod(x, y, n, [=](int64_t i, T mod) { out[i] = math::floor_quotient(x[i], y[i], mod); });
  }
};
template <class T>
struct Divmod;
template <Float32Or64 T>
struct VectorMath<Divmod<T>> {
  static constexpr bool available = true;
  static void apply(const T* x, const T* y, T* quotient, T* remainder, int64_t n) {
    vectorized::with_fmod(x, y, n, [=](int64_t i, T mod) {
      auto [q, r] = math::python_divmod(x[i], y[i], mod);
      quotient[i] = q;
      remainder[i] = r;
    });
  }
};

}  // namespace tnp
