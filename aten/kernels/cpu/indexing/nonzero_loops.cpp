// Converts 64 elements at a time to a bitmask. If few bits are set, the loop visits the set bits.
// If many are set, AVX-512 compresses eight indices at a time in a register (a compressing store to
// memory is slow microcode on AMD's Zen 4). Other instruction sets store every index and keep it if
// its element is not zero, because a branch on each element would be mispredicted.
#include "aten/kernels/cpu/indexing/nonzero_loops.h"

#include <array>
#include <bit>
#include <cstring>

#include "aten/core/numbers/dtype.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif
#define TNP_LOOP __attribute__((flatten))

namespace tnp::nonzero_loops::TNP_CPU_CAPABILITY {

namespace {

constexpr int64_t kStep = 64;  // number of elements

template <class T>
TNP_INLINE bool is_nonzero(T v) {
  if constexpr (is_reduced_float_v<T>)
    return static_cast<float>(v) != 0;
  else
    return v != T(0);
}

// A bitmask of the bytes among 64 that are not 0.
TNP_INLINE uint64_t bits_of(const uint8_t* bytes) {
#if defined(__AVX512BW__)
  const __m512i v = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
  auto half = [](const uint8_t* from) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return ~static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
  };
  return half(bytes) | static_cast<uint64_t>(half(bytes + 32)) << 32;
#elif defined(__SSE2__)
  uint64_t bits = 0;
  for (int k = 0; k < 4; ++k) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * k));
    const auto zeros = static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())));
    bits |= static_cast<uint64_t>(static_cast<uint16_t>(~zeros)) << 16 * k;
  }
  return bits;
#else
  uint64_t bits = 0;
  for (int k = 0; k < 64; ++k) bits |= static_cast<uint64_t>(bytes[k] != 0) << k;
  return bits;
#endif
}

template <class T>  // T: a stored_t
TNP_INLINE uint64_t bits_of_nonzero(const T* v) {
  if constexpr (sizeof(T) == 1) {
    return bits_of(reinterpret_cast<const uint8_t*>(v));
  } else {
    uint8_t bytes[kStep];
    for (int64_t k = 0; k < kStep; ++k) bytes[k] = is_nonzero(v[k]);
    return bits_of(bytes);
  }
}

template <class T>
TNP_LOOP int64_t count(const void* data, int64_t n) {
  const T* v = static_cast<const T*>(data);
  int64_t found = 0, i = 0;
  for (constexpr int64_t kMany = 128; i + kMany <= n; i += kMany) {
    uint8_t some = 0;  // a narrow type, so that the loop is vectorised over bytes
    for (int64_t k = 0; k < kMany; ++k) some = static_cast<uint8_t>(some + is_nonzero(v[i + k]));
    found += some;
  }
  for (; i < n; ++i) found += is_nonzero(v[i]);
  return found;
}

// Stores the indices of all set bits, and up to 7 surplus values, which the next call overwrites.
template <class T>
TNP_INLINE int64_t* store_many([[maybe_unused]] const T* v, [[maybe_unused]] uint64_t bits, int64_t first,
                               int64_t* to) {
#if defined(__AVX512F__)
  __m512i places = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  for (int k = 0; k < 8; ++k, bits >>= 8) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), places));
    to += std::popcount(static_cast<uint8_t>(bits));
    places = _mm512_add_epi64(places, _mm512_set1_epi64(8));
  }
#else
  for (int64_t k = 0; k < kStep; ++k) {
    *to = first + k;
    to += is_nonzero(v[k]);
  }
#endif
  return to;
}

template <class T>
TNP_LOOP int64_t places(const void* data, int64_t n, int64_t first, int64_t* to, int64_t room) {
  const T* v = static_cast<const T*>(data);
  int64_t *const begin = to, *const end = to + room;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    uint64_t bits = bits_of_nonzero(v + i);
#if defined(__AVX512F__)
    constexpr int64_t kMany = 12;
#else
    constexpr int64_t kMany = 28;
#endif
    if (std::popcount(bits) < kMany || end - to < kStep + 8) {
      for (; bits && to < end; bits &= bits - 1) *to++ = first + i + std::countr_zero(bits);
    } else {
      to = store_many(v + i, bits, first + i, to);
    }
  }
  for (; i < n && to < end; ++i)
    if (is_nonzero(v[i])) *to++ = first + i;
  return to - begin;
}

template <class... Ts>
constexpr std::array<NonzeroLoops, sizeof...(Ts)> table_of(TypeList<Ts...>) {
  return {NonzeroLoops{count<stored_t<Ts>>, places<stored_t<Ts>>}...};
}

// AllTypes is in the order of ScalarType.
constexpr auto kLoops = table_of(AllTypes{});

}  // namespace

std::span<const NonzeroLoops> loops() { return kLoops; }

}  // namespace tnp::nonzero_loops::TNP_CPU_CAPABILITY
