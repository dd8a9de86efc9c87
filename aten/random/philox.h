// Philox4x64-10: a counter-based generator. Four words are a function of a counter and a key, so
// any word of the stream can be computed independently. For host and device.
//
// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {
class Generator;
}

namespace tnp::random {

TNP_HOST_DEVICE TNP_INLINE uint64_t multiply_high(uint64_t a, uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

// A 256-bit counter, or the four words computed from it. Separate members instead of an array, so
// that they stay in registers.
struct PhiloxBlock {
  uint64_t a, b, c, d;
  TNP_HOST_DEVICE static PhiloxBlock load(const uint64_t* from) { return {from[0], from[1], from[2], from[3]}; }
  TNP_HOST_DEVICE void store(uint64_t* to) const { to[0] = a, to[1] = b, to[2] = c, to[3] = d; }
  TNP_HOST_DEVICE PhiloxBlock plus(uint64_t n) const {
    PhiloxBlock sum = *this;
    sum.a += n;
    const bool carry_b = sum.a < n;
    sum.b += carry_b;
    const bool carry_c = carry_b && sum.b == 0;
    sum.c += carry_c;
    sum.d += carry_c && sum.c == 0;
    return sum;
  }
};

TNP_HOST_DEVICE TNP_INLINE void philox_round(PhiloxBlock& x, uint64_t key0, uint64_t key1) {
  constexpr uint64_t m0 = 0xD2E7470EE14C6C93ULL, m1 = 0xCA5A826395121157ULL;
  x = {multiply_high(m1, x.c) ^ x.b ^ key0, m1 * x.c, multiply_high(m0, x.a) ^ x.d ^ key1, m0 * x.a};
}

// Replaces counters by their words. Several blocks at once run in parallel (instruction-level
// parallelism).
template <class... Blocks>
TNP_HOST_DEVICE TNP_INLINE void philox(uint64_t key0, uint64_t key1, Blocks&... blocks) {
#if defined(__CUDACC__)
#pragma unroll
#else
#pragma GCC unroll 10
#endif
  for (int round = 0; round < 10; ++round) {
    (philox_round(blocks, key0, key1), ...);
    key0 += 0x9E3779B97F4A7C15ULL, key1 += 0xBB67AE8584CAA73BULL;  // the golden ratio; sqrt(3) - 1
  }
}

// A Philox's stream from a given state on, with random access. Block 0 is the block buffered in the
// state, of which `position` words are used up. Words and halves are counted from the next unused
// one.
struct PhiloxStream {
  uint64_t counter[4], key[2], buffer[4];
  int32_t position;  // 0 to 4
  int32_t waiting;   // 1 if half a word is buffered; then `upper` is the next half
  uint32_t upper;

  TNP_HOST_DEVICE PhiloxBlock block(int64_t b) const {
    if (b == 0) return PhiloxBlock::load(buffer);
    PhiloxBlock x = PhiloxBlock::load(counter).plus(static_cast<uint64_t>(b));
    philox(key[0], key[1], x);
    return x;
  }

  // Units are words (uint64_t) or halves (uint32_t).
  template <class Unit>
  TNP_HOST_DEVICE int64_t block_of(int64_t unit) const {
    if constexpr (sizeof(Unit) == 8)
      return (unit + position) / 4;
    else
      return unit < waiting ? 0 : ((unit - waiting) / 2 + position) / 4;
  }

  // Calls f(unit, value) for the units of a block, up to eight, in stream order.
  template <class Unit, class F>
  TNP_HOST_DEVICE void each_unit(int64_t b, F&& f) const {
    const PhiloxBlock x = block(b);
    if constexpr (sizeof(Unit) == 4) {
      if (b == 0 && waiting) f(int64_t{0}, upper);
    }
    auto each = [&](int64_t at, uint64_t word) {
      if (at < 0) return;
      if constexpr (sizeof(Unit) == 8) {
        f(at, word);
      } else {
        f(2 * at + waiting, static_cast<uint32_t>(word));
        f(2 * at + waiting + 1, static_cast<uint32_t>(word >> 32));
      }
    };
    const int64_t first = 4 * b - position;
    each(first, x.a), each(first + 1, x.b), each(first + 2, x.c), each(first + 3, x.d);
  }

  template <class Unit>
  TNP_HOST_DEVICE Unit unit(int64_t index) const {
    Unit found = 0;
    each_unit<Unit>(block_of<Unit>(index), [&](int64_t at, Unit value) {
      if (at == index) found = value;
    });
    return found;
  }
};

// For a generator whose bits are a Philox. philox_stream() describes the upcoming words.
// skip_words() and skip_halves() advance the state as n calls of next_uint64() or next_uint32()
// would.
TNP_API PhiloxStream philox_stream(const Generator& g);
TNP_API void skip_words(Generator& g, int64_t n);
TNP_API void skip_halves(Generator& g, int64_t n);

}  // namespace tnp::random
