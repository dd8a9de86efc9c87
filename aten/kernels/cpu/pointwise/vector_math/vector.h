// Vector types for the functions in this folder: GCC's vector types with the width of the target
// instruction set, and operations that these types lack.
//
// Note [Same bits everywhere] Each function applies the same operations to every element,
// independently of its neighbours. The remainder of an array goes through a whole register too.
// Special cases depend on the element's own value only. Products and sums are contracted only in
// mad().
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "aten/core/macros.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

// A table of 32 floats or 16 doubles in two registers, or of 8 floats in one, for look-ups by a
// permute instruction.
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TNP_HAS_TABLES_IN_REGISTERS 1
#else
#define TNP_HAS_TABLES_IN_REGISTERS 0
#endif
#if defined(__AVX2__) && defined(__FMA__) && !TNP_HAS_TABLES_IN_REGISTERS
#define TNP_HAS_SMALL_TABLES_IN_REGISTERS 1
#else
#define TNP_HAS_SMALL_TABLES_IN_REGISTERS 0
#endif

#if defined(__AVX512DQ__) && defined(__AVX512VL__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class T, int bytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(bytes)));
};
using Floats = VectorOf<float, kVectorBytes>::Type;
using Doubles = VectorOf<double, kVectorBytes>::Type;
using FewFloats = VectorOf<float, kVectorBytes / 2>::Type;  // with as many lanes as Doubles

template <class T>
struct IntegerOf;
template <>
struct IntegerOf<float> {
  using Signed = int32_t;
  using Unsigned = uint32_t;
};
template <>
struct IntegerOf<double> {
  using Signed = int64_t;
  using Unsigned = uint64_t;
};

template <class V>
using Element = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <class V>
using Signed = typename VectorOf<typename IntegerOf<Element<V>>::Signed, sizeof(V)>::Type;
template <class V>
using Unsigned = typename VectorOf<typename IntegerOf<Element<V>>::Unsigned, sizeof(V)>::Type;
template <class V>
inline constexpr int kLanes = sizeof(V) / sizeof(Element<V>);

// Parameters of the floating-point format.
template <class T>
inline constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
template <class T>
inline constexpr int kExponentBias = std::numeric_limits<T>::max_exponent - 1;
// Adding this constant and subtracting it again rounds a number to an integer. After the addition,
// the lowest bits of the sum hold the integer.
template <class T>
inline constexpr T kRounder = T(3) * T(typename IntegerOf<T>::Unsigned(1) << (kMantissaBits<T> - 1));
template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();

template <class V>
TNP_INLINE V splat(Element<V> x) {
  return x - V{};  // keeps -0
}
template <class V>
TNP_INLINE V load(const Element<V>* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
TNP_INLINE void store(Element<V>* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
template <class V>
TNP_INLINE Signed<V> bits(V v) {
  return reinterpret_cast<Signed<V>>(v);
}
template <class V>
TNP_INLINE Unsigned<V> unsigned_bits(V v) {
  return reinterpret_cast<Unsigned<V>>(v);
}
template <class V, class Bits>
TNP_INLINE V from_bits(Bits v) {
  return reinterpret_cast<V>(v);
}

// a * b + c, rounded once if the processor has fused multiply-add, else twice. Used for terms where
// that difference does not matter.
TNP_INLINE Doubles mad(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f64(c, a, b);
#else
  return a * b + c;
#endif
}
TNP_INLINE Floats mad(Floats a, Floats b, Floats c) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool kHasFma = true;
#else
inline constexpr bool kHasFma = false;
#endif
template <class V>
TNP_INLINE V mad(V a, V b, Element<V> c) {
  return mad(a, b, splat<V>(c));
}
template <class V>
TNP_INLINE V mad(V a, Element<V> b, V c) {
  return mad(a, splat<V>(b), c);
}
template <class V>
TNP_INLINE V mad(V a, Element<V> b, Element<V> c) {
  return mad(a, splat<V>(b), splat<V>(c));
}

// c[0] + x * (c[1] + x * ...)
template <class V>
TNP_INLINE V polynomial(V, Element<V> last) {
  return splat<V>(last);
}
template <class V, class... Rest>
TNP_INLINE V polynomial(V x, Element<V> first, Rest... rest) {
  return mad(x, polynomial(x, rest...), first);
}

// A number as an unevaluated sum of two; |low| is at most about half a unit in the last place of
// high.
template <class V>
struct Pair {
  V high, low;
};

// a * b, exactly. Without fused multiply-add, uses T. J. Dekker, Numerische Mathematik 18 (1971)
// 224.
template <class V>
TNP_INLINE Pair<V> product(V a, V b) {
  const V high = a * b;
  if constexpr (kHasFma) return {high, mad(a, b, -high)};
  using T = Element<V>;
  constexpr T splitter = T((int64_t(1) << ((kMantissaBits<T> + 2) / 2)) + 1);
  auto split = [](V x) {
    const V c = x * splitter, top = c - (c - x);
    return Pair<V>{top, x - top};
  };
  const Pair<V> x = split(a), y = split(b);
  return {high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}
// c - a * b where a * b is nearly c, rounded once.
template <class V>
TNP_INLINE V remainder_of(V c, V a, V b) {
  if constexpr (kHasFma) return mad(-a, b, c);
  const Pair<V> p = product(a, b);
  return (c - p.high) - p.low;
}
// a + b, exactly, if |a| >= |b| or a = 0 (Dekker) ...
template <class V>
TNP_INLINE Pair<V> ordered_sum(V a, V b) {
  const V high = a + b;
  return {high, b - (high - a)};
}
// ... and for a and b in any order (D. E. Knuth).
template <class V>
TNP_INLINE Pair<V> sum(V a, V b) {
  const V high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// at_least and at_most propagate a NaN in `v`.
TNP_INLINE Doubles at_least(Doubles v, double least) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_max_pd(splat<Doubles>(least), v);
#elif defined(__AVX2__)
  return _mm256_max_pd(splat<Doubles>(least), v);
#else
  return v < least ? splat<Doubles>(least) : v;
#endif
}
TNP_INLINE Doubles at_most(Doubles v, double most) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_min_pd(splat<Doubles>(most), v);
#elif defined(__AVX2__)
  return _mm256_min_pd(splat<Doubles>(most), v);
#else
  return v > most ? splat<Doubles>(most) : v;
#endif
}
TNP_INLINE Floats at_least(Floats v, float least) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_max_ps(splat<Floats>(least), v);
#elif defined(__AVX2__)
  return _mm256_max_ps(splat<Floats>(least), v);
#else
  return v < least ? splat<Floats>(least) : v;
#endif
}
TNP_INLINE Floats at_most(Floats v, float most) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_min_ps(splat<Floats>(most), v);
#elif defined(__AVX2__)
  return _mm256_min_ps(splat<Floats>(most), v);
#else
  return v > most ? splat<Floats>(most) : v;
#endif
}

TNP_INLINE Doubles square_root(Doubles v) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_sqrt_pd(v);
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(v);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(v);
#else
  return vsqrtq_f64(v);
#endif
}

template <class V>
inline constexpr Element<V> kSignBit = -Element<V>(0);
template <class V>
TNP_INLINE V absolute(V v) {
  return from_bits<V>(bits(v) & std::numeric_limits<Element<Signed<V>>>::max());
}
template <class V>
TNP_INLINE Signed<V> sign_bits(V v) {
  return bits(v) & std::numeric_limits<Element<Signed<V>>>::min();
}
template <class V>
TNP_INLINE V with_sign(V magnitude, V sign) {
  return from_bits<V>(bits(absolute(magnitude)) | sign_bits(sign));
}
// `v` must not be negative.
template <class V>
TNP_INLINE V flip_sign(V v, Signed<V> sign) {
  return from_bits<V>(bits(v) ^ sign);
}

template <class Mask>
TNP_INLINE bool any(Mask mask) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256(reinterpret_cast<__m256i>(mask), reinterpret_cast<__m256i>(mask));
#else
  using Words = VectorOf<int64_t, sizeof(Mask)>::Type;
  const Words words = reinterpret_cast<Words>(mask);
  return (words[0] | words[1]) != 0;
#endif
}

// x * 2^n for an integer n, |n| < 4 * the format's largest exponent. Subnormal results are rounded,
// and large ones overflow.
template <class V>
TNP_INLINE V scale(V x, V n) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  if constexpr (std::is_same_v<V, Floats>)
    return _mm512_scalef_ps(x, n);
  else
    return _mm512_scalef_pd(x, n);
#else
  using T = Element<V>;
  auto power = [](V rounded) {  // an integer plus kRounder
    return from_bits<V>((unsigned_bits(rounded) << kMantissaBits<T>)+unsigned_bits(splat<V>(T(1))));
  };
  const V half = n * T(0.5) + kRounder<T>, rest = n - (half - kRounder<T>)+kRounder<T>;
  return x * power(half) * power(rest);
#endif
}

// Replaces the lanes of the mask by function(lane's values...).
template <class V, class Function, class... Operands>
TNP_COLD void replace_lanes(V& result, Signed<V> mask, Function&& function, const Operands&... operands) {
  for (int i = 0; i < kLanes<V>; ++i)
    if (mask[i]) result[i] = function(operands[i]...);
}

TNP_INLINE Doubles widen(FewFloats v) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  return _mm512_cvtps_pd(v);
#elif defined(__AVX2__)
  return _mm256_cvtps_pd(v);
#else
  return __builtin_convertvector(v, Doubles);
#endif
}
TNP_INLINE FewFloats narrow(Doubles v) { return __builtin_convertvector(v, FewFloats); }

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
