// The vector operations of the sorting loops, in AVX2; see sort_vector_avx512.h, which has the same
// members. Included by sort_loops.cpp only.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "aten/kernels/cpu/sorting/sort_lane_tables.h"

namespace tnp::sort_loops::avx2 {

namespace {

template <class T>
struct Vector {
  typedef T V __attribute__((vector_size(32)));
  static constexpr bool kWide = sizeof(T) == 8;
  static constexpr int kLanes = 32 / sizeof(T);
  static constexpr int kMostRows = kWide ? 32 : 16;
  using Mask = unsigned;
  static constexpr Mask kAll = (1u << kLanes) - 1;

  static V load(const T* p) { return (V)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store(T* p, V v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), (__m256i)v); }
  static V fill(T x) { return x - V{}; }
  static __m256i first(int64_t count) {
    if constexpr (kWide)
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    else
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static V load_some(const T* p, int64_t count, V rest) {
    const __m256i wanted = first(count);
    __m256i v;
    if constexpr (kWide)
      v = _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), wanted);
    else
      v = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), wanted);
    return (V)_mm256_blendv_epi8((__m256i)rest, v, wanted);
  }
  // Masked stores take as long as a dozen plain ones on AMD processors, so they are used for
  // partial vectors only.
  static void store_some(T* p, int64_t count, V v) {
    if (count == kLanes) return store(p, v);
    if (count == 0) return;
    if constexpr (kWide)
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first(count), (__m256i)v);
    else
      _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first(count), (__m256i)v);
  }

  static Mask less(V a, V b) { return bits(less_lanes(a, b)); }
  static Mask is_nan(V a) {
    if constexpr (kWide)
      return bits((__m256i)_mm256_cmp_pd((__m256d)a, (__m256d)a, _CMP_UNORD_Q));
    else
      return bits((__m256i)_mm256_cmp_ps((__m256)a, (__m256)a, _CMP_UNORD_Q));
  }
  static Mask is_negative_zero(V a) {
    if constexpr (kWide)
      return bits(_mm256_cmpeq_epi64((__m256i)a, sign()));
    else
      return bits(_mm256_cmpeq_epi32((__m256i)a, sign()));
  }
  static int count(Mask m) { return __builtin_popcount(m); }
  static Mask invert(Mask m) { return m ^ kAll; }

  static void exchange(V& a, V& b) {
    if constexpr (kByComparing) {
      const __m256i swap = less_lanes(b, a);
      const V low = (V)_mm256_blendv_epi8((__m256i)a, (__m256i)b, swap);
      b = (V)_mm256_blendv_epi8((__m256i)b, (__m256i)a, swap);
      a = low;
    } else {
      const V low = min(a, b);
      b = max(a, b);
      a = low;
    }
  }
  template <unsigned high>
  static V exchange_lanes(V v, V other) {
    exchange(v, other);
    return merge<high>(v, other);
  }
  template <unsigned high>
  static V merge(V low_lanes, V high_lanes) {
    if constexpr (kWide)
      return (V)_mm256_blend_pd((__m256d)low_lanes, (__m256d)high_lanes, high & kAll);
    else
      return (V)_mm256_blend_ps((__m256)low_lanes, (__m256)high_lanes, high & kAll);
  }

  static void split(V v, Mask front, T*& left, T*& right) {
    const int n = count(front);
    const V moved = arranged(v, front);
    store(left, moved);
    store(right - kLanes, moved);
    left += n, right -= kLanes - n;
  }
  static void split(V v, Mask front, Mask back, T*& left, T*& right) {
    const int n = count(front);
    const V moved = (V)_mm256_blendv_epi8((__m256i)arranged(v, invert(back)), (__m256i)arranged(v, front), first(n));
    store(left, moved);
    store(right - kLanes, moved);
    left += n, right -= count(back);
  }

 private:
  static constexpr bool kByComparing = kWide && std::is_integral_v<T>;

  static __m256i sign() { return kWide ? _mm256_set1_epi64x(INT64_MIN) : _mm256_set1_epi32(INT32_MIN); }
  static Mask bits(__m256i lanes) {
    if constexpr (kWide)
      return static_cast<Mask>(_mm256_movemask_pd((__m256d)lanes));
    else
      return static_cast<Mask>(_mm256_movemask_ps((__m256)lanes));
  }
  static __m256i less_lanes(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return (__m256i)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
    else if constexpr (std::is_same_v<T, double>)
      return (__m256i)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ);
    else {
      auto x = (__m256i)a, y = (__m256i)b;
      if constexpr (std::is_unsigned_v<T>) x = _mm256_xor_si256(x, sign()), y = _mm256_xor_si256(y, sign());
      return kWide ? _mm256_cmpgt_epi64(y, x) : _mm256_cmpgt_epi32(y, x);
    }
  }
  // 32-bit integers here are signed.
  static V min(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return (V)_mm256_min_ps((__m256)a, (__m256)b);
    else if constexpr (std::is_same_v<T, double>)
      return (V)_mm256_min_pd((__m256d)a, (__m256d)b);
    else
      return (V)_mm256_min_epi32((__m256i)a, (__m256i)b);
  }
  static V max(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return (V)_mm256_max_ps((__m256)a, (__m256)b);
    else if constexpr (std::is_same_v<T, double>)
      return (V)_mm256_max_pd((__m256d)a, (__m256d)b);
    else
      return (V)_mm256_max_epi32((__m256i)a, (__m256i)b);
  }
  static V arranged(V v, Mask front) {
    const auto& table = kWide ? kFrontOfFour : kFrontOfEight;
    const __m256i index = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&table[front])));
    return (V)_mm256_permutevar8x32_epi32((__m256i)v, index);
  }
};

}  // namespace

}  // namespace tnp::sort_loops::avx2
