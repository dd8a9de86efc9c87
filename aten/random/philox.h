// Philox4x64-10: four words are a function of a counter and a key, so that any word of the stream can be had without those
// before it. For host and device.
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

// One of the ten rounds: `word` is the counter at first, the four words of the block at last.
TNP_HOST_DEVICE TNP_INLINE void philox_round(uint64_t (&word)[4], uint64_t key0, uint64_t key1) {
  constexpr uint64_t m0 = 0xD2E7470EE14C6C93ULL, m1 = 0xCA5A826395121157ULL;
  const uint64_t high0 = multiply_high(m0, word[0]), low0 = m0 * word[0], high1 = multiply_high(m1, word[2]), low1 = m1 * word[2];
  word[0] = high1 ^ word[1] ^ key0;
  word[1] = low1;
  word[2] = high0 ^ word[3] ^ key1;
  word[3] = low0;
}

// The words of kLanes counters at once, which do not wait for one another.
template <int kLanes>
TNP_HOST_DEVICE TNP_INLINE void philox_blocks(uint64_t (&lane)[kLanes][4], uint64_t key0, uint64_t key1) {
  for (int round = 0; round < 10; ++round) {
    for (int l = 0; l < kLanes; ++l) philox_round(lane[l], key0, key1);
    key0 += 0x9E3779B97F4A7C15ULL, key1 += 0xBB67AE8584CAA73BULL;  // the golden ratio; sqrt(3) - 1
  }
}

// counter + n, of 256 bits.
TNP_HOST_DEVICE TNP_INLINE void philox_add(const uint64_t* counter, uint64_t n, uint64_t* sum) {
  for (int i = 0; i < 4; ++i) {
    sum[i] = counter[i] + n;
    n = sum[i] < n;
  }
}

// A Philox's stream from a state on, to be read anywhere. Blocks are counted from the one that the state has buffered, of which
// `position` words are used up; words and halves from the next to come.
struct PhiloxStream {
  uint64_t counter[4], key[2], buffer[4];
  int32_t position;  // 0 to 4
  int32_t waiting;   // 1 if half a word waits: `upper` is the next half then
  uint32_t upper;

  TNP_HOST_DEVICE void block(int64_t b, uint64_t (&word)[4]) const {
    if (b == 0) {
      for (int i = 0; i < 4; ++i) word[i] = buffer[i];
      return;
    }
    uint64_t lane[1][4];
    philox_add(counter, static_cast<uint64_t>(b), lane[0]);
    philox_blocks(lane, key[0], key[1]);
    for (int i = 0; i < 4; ++i) word[i] = lane[0][i];
  }

  // Units are words (uint64_t) or halves (uint32_t).
  template <class Unit>
  TNP_HOST_DEVICE int64_t block_of(int64_t unit) const {
    if constexpr (sizeof(Unit) == 8) return (unit + position) / 4;
    else return unit < waiting ? 0 : ((unit - waiting) / 2 + position) / 4;
  }

  // Calls f(unit, value) for the units of a block, up to eight, in their order.
  template <class Unit, class F>
  TNP_HOST_DEVICE void each_unit(int64_t b, F&& f) const {
    uint64_t word[4];
    block(b, word);
    if constexpr (sizeof(Unit) == 4) {
      if (b == 0 && waiting) f(int64_t{0}, upper);
    }
    for (int i = 0; i < 4; ++i) {
      const int64_t at = 4 * b + i - position;
      if (at < 0) continue;
      if constexpr (sizeof(Unit) == 8) {
        f(at, word[i]);
      } else {
        f(2 * at + waiting, static_cast<uint32_t>(word[i]));
        f(2 * at + waiting + 1, static_cast<uint32_t>(word[i] >> 32));
      }
    }
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

// Of a generator whose bits are a Philox: what is still to come; and its state after n times next_uint64(), or next_uint32().
TNP_API PhiloxStream philox_stream(const Generator& g);
TNP_API void skip_words(Generator& g, int64_t n);
TNP_API void skip_halves(Generator& g, int64_t n);

}  // namespace tnp::random
