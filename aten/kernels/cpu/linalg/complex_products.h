// Vectorised products of complex numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "aten/core/macros.h"
#include "aten/core/numbers/complex.h"
#include "aten/core/threads/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp {

template <class T>
struct Multiply;
template <class F>
constexpr bool kIsComplexProduct = false;  // Note [Complex products]
template <class R>
constexpr bool kIsComplexProduct<Multiply<Complex<R>>> = true;

inline namespace TNP_CPU_CAPABILITY {

// Note [Complex products] GCC 12 compiles a loop over complex products to alternating fused
// multiply-adds and -subtracts (vfmaddsub), in spite of -ffp-contract=off. The remainder of such a
// loop, which is scalar, rounds differently. So this class multiplies registers explicitly, bit for
// bit as Complex's operator* does.
template <class T>
class ComplexProducts {
  static constexpr int kBytes = kRegisterBytes;
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Register __attribute__((vector_size(kBytes)));
  typedef Bits BitRegister __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T)), kNumbers = kLanes / 2;
  using Indices = std::make_integer_sequence<int, kLanes>;

  template <int... I>
  static TNP_INLINE Register real_parts(Register x, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, x, (I & ~1)...);
  }
  template <int... I>
  static TNP_INLINE Register imaginary_parts(Register x, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, x, (I | 1)...);
  }
  template <int... I>
  static TNP_INLINE Register swapped(Register x, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, x, (I ^ 1)...);
  }
  template <int... I>
  static TNP_INLINE BitRegister signs_of_real_parts(std::integer_sequence<int, I...>) {
    return BitRegister{(I % 2 == 0 ? std::numeric_limits<Bits>::min() : Bits(0))...};
  }
  static TNP_INLINE Register product(Register a, Register b) {
    const Register crossed = imaginary_parts(a, Indices{}) * swapped(b, Indices{});
    return real_parts(a, Indices{}) * b + (Register)((BitRegister)crossed ^ signs_of_real_parts(Indices{}));
  }
  static TNP_INLINE Register load(const Complex<T>* x) {
    Register v;
    std::memcpy(&v, x, kBytes);
    return v;
  }
  static TNP_INLINE Register repeated(Complex<T> x) {
    Register v;
    for (int k = 0; k < kLanes; ++k) v[k] = k % 2 == 0 ? x.re : x.im;
    return v;
  }
  static TNP_INLINE void store(Complex<T>* to, Register v) { std::memcpy(to, &v, kBytes); }

 public:
  // out[i] = a[i] * b[i]; `out` may be one of the operands.
  static TNP_INLINE void multiply(const Complex<T>* a, const Complex<T>* b, Complex<T>* out, int64_t n) {
    int64_t i = 0;
    for (; i + kNumbers <= n; i += kNumbers) store(out + i, product(load(a + i), load(b + i)));
    for (; i < n; ++i) out[i] = a[i] * b[i];
  }
  // out[i] = a[i] * b, bit for bit equal to b * a[i].
  static TNP_INLINE void multiply_by(const Complex<T>* a, Complex<T> b, Complex<T>* out, int64_t n) {
    const Register all = repeated(b);
    int64_t i = 0;
    for (; i + kNumbers <= n; i += kNumbers) store(out + i, product(load(a + i), all));
    for (; i < n; ++i) out[i] = a[i] * b;
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
