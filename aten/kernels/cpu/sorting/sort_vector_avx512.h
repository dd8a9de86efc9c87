// The vector operations of the sorting loops, in AVX-512: a vector of keys, and operations that
// compare, move and store its lanes. Included by sort_loops.cpp only.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "aten/kernels/cpu/sorting/sort_lane_tables.h"

namespace tnp::sort_loops::avx512 {

namespace {

template <class T>
struct Vector {
  typedef T V __attribute__((vector_size(64)));
  static constexpr bool kWide = sizeof(T) == 8;
  static constexpr int kLanes = 64 / sizeof(T);
  static constexpr int kMostRows = kWide ? 32 : 16;
  using Mask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;
  static constexpr auto kAll = static_cast<Mask>(~0u);

  static V load(const T* p) { return (V)_mm512_loadu_si512(p); }
  static void store(T* p, V v) { _mm512_storeu_si512(p, (__m512i)v); }
  static V fill(T x) { return x - V{}; }
  static Mask first(int64_t count) { return static_cast<Mask>(_bzhi_u32(kAll, static_cast<unsigned>(count))); }
  // Loads the first `count` lanes (0 to kLanes) and takes the remaining lanes from `rest`.
  static V load_some(const T* p, int64_t count, V rest) {
    if constexpr (kWide)
      return (V)_mm512_mask_loadu_epi64((__m512i)rest, first(count), p);
    else
      return (V)_mm512_mask_loadu_epi32((__m512i)rest, first(count), p);
  }
  static void store_some(T* p, int64_t count, V v) {
    if constexpr (kWide)
      _mm512_mask_storeu_epi64(p, first(count), (__m512i)v);
    else
      _mm512_mask_storeu_epi32(p, first(count), (__m512i)v);
  }

  static Mask less(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
    else if constexpr (std::is_same_v<T, double>)
      return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
    else if constexpr (std::is_same_v<T, int32_t>)
      return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
    else if constexpr (std::is_same_v<T, uint32_t>)
      return _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
    else if constexpr (std::is_same_v<T, int64_t>)
      return _mm512_cmplt_epi64_mask((__m512i)a, (__m512i)b);
    else
      return _mm512_cmplt_epu64_mask((__m512i)a, (__m512i)b);
  }
  static Mask is_nan(V a) {
    if constexpr (kWide)
      return _mm512_cmp_pd_mask((__m512d)a, (__m512d)a, _CMP_UNORD_Q);
    else
      return _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
  }
  static Mask is_negative_zero(V a) {
    if constexpr (kWide)
      return _mm512_cmpeq_epi64_mask((__m512i)a, _mm512_set1_epi64(INT64_MIN));
    else
      return _mm512_cmpeq_epi32_mask((__m512i)a, _mm512_set1_epi32(INT32_MIN));
  }
  static int count(Mask m) { return __builtin_popcount(m); }
  static Mask invert(Mask m) { return static_cast<Mask>(~m); }

  static V blend(Mask m, V a, V b) {  // b where m is set
    if constexpr (kWide)
      return (V)_mm512_mask_blend_epi64(m, (__m512i)a, (__m512i)b);
    else
      return (V)_mm512_mask_blend_epi32(m, (__m512i)a, (__m512i)b);
  }
  // 32-bit integers here are signed.
  static V min(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return (V)_mm512_min_ps((__m512)a, (__m512)b);
    else if constexpr (std::is_same_v<T, double>)
      return (V)_mm512_min_pd((__m512d)a, (__m512d)b);
    else
      return (V)_mm512_min_epi32((__m512i)a, (__m512i)b);
  }
  static V max(V a, V b) {
    if constexpr (std::is_same_v<T, float>)
      return (V)_mm512_max_ps((__m512)a, (__m512)b);
    else if constexpr (std::is_same_v<T, double>)
      return (V)_mm512_max_pd((__m512d)a, (__m512d)b);
    else
      return (V)_mm512_max_epi32((__m512i)a, (__m512i)b);
  }
  // For 64-bit integers, a comparison and two blends are faster than minimum and maximum.
  static constexpr bool kByComparing = kWide && std::is_integral_v<T>;

  // Moves the smaller of each pair of lanes to a, the larger to b.
  static void exchange(V& a, V& b) {
    if constexpr (kByComparing) {
      const Mask swap = less(b, a);
      const V low = blend(swap, a, b);
      b = blend(swap, b, a);
      a = low;
    } else {
      const V low = min(a, b);
      b = max(a, b);
      a = low;
    }
  }
  // Like exchange(), but within v: `other` has each lane's partner, and the lanes of `high` receive
  // the larger number.
  template <unsigned high>
  static V exchange_lanes(V v, V other) {
    if constexpr (kByComparing)
      return blend(static_cast<Mask>(less(other, v) ^ high), v, other);
    else
      return blend(static_cast<Mask>(high), min(v, other), max(v, other));
  }
  template <unsigned high>
  static V merge(V low_lanes, V high_lanes) {
    return blend(static_cast<Mask>(high), low_lanes, high_lanes);
  }

  // Stores the lanes of `front` at `left`, which advances, and all other lanes before `right`,
  // which moves back. Up to a vector after `left` and before `right` may be overwritten.
  static void split(V v, Mask front, T*& left, T*& right) {
    const int n = count(front);
    if constexpr (kWide) {
      const V moved = arranged(v, front);
      store(left, moved);
      store(right - kLanes, moved);
      left += n, right -= kLanes - n;
    } else {
      store(left, compressed(v, front));
      left += n, right -= kLanes - n;
      store_some(right, kLanes - n, compressed(v, invert(front)));
    }
  }
  // Like the function above, but the lanes of `back` are stored before `right`. Lanes in neither
  // set are dropped.
  static void split(V v, Mask front, Mask back, T*& left, T*& right) {
    store(left, compressed(v, front));
    left += count(front), right -= count(back);
    store_some(right, count(back), compressed(v, back));
  }

 private:
  static V compressed(V v, Mask wanted) {
    if constexpr (kWide)
      return (V)_mm512_maskz_compress_epi64(wanted, (__m512i)v);
    else
      return (V)_mm512_maskz_compress_epi32(wanted, (__m512i)v);
  }
  static V arranged(V v, Mask front) {
    const __m512i index =
        _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kFrontOfEight[front])));
    return (V)_mm512_permutexvar_epi64(index, (__m512i)v);
  }
};

}  // namespace

}  // namespace tnp::sort_loops::avx512
