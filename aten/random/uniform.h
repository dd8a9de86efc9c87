// Conversion of bits to uniform numbers: floats in [0, 1), and unbiased integers in a range.
//
// Sources: Lemire, "Fast random integer generation in an interval", ACM Trans. Model. Comput.
// Simul. 29 (2019) no. 3. The legacy generator uses masked rejection, as Matsumoto's mt19937 users
// did: draw as many bits as needed, and retry if the number is too large.
#pragma once

#include <type_traits>

#include "aten/random/bit_generators.h"

namespace tnp::random {

template <class Bits>
TNP_INLINE float next_float(Bits& bits) {
  return to_float(bits.next_uint32());
}

// The smallest 2^n - 1 that is at least `max`.
inline uint64_t mask_for(uint64_t max) { return max == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(max); }

// Extracts 8 and 16 bits at a time from 32-bit draws, lowest bits first. Lives for one call;
// leftover bits are discarded.
struct BitBuffer {
  uint32_t word = 0;
  int left = 0;

  template <class Word, class Bits>
  TNP_INLINE Word next(Bits& bits) {
    if constexpr (sizeof(Word) == 8)
      return bits.next_uint64();
    else if constexpr (sizeof(Word) == 4)
      return bits.next_uint32();
    else
      return static_cast<Word>(take(bits, 8 * static_cast<int>(sizeof(Word))));
  }
  template <class Bits>
  TNP_INLINE bool next_bit(Bits& bits) {
    return take(bits, 1) & 1;
  }

 private:
  template <class Bits>
  TNP_INLINE uint32_t take(Bits& bits, int width) {
    if (left == 0) {
      word = bits.next_uint32();
      left = 32 / width - 1;
    } else {
      word >>= width;
      --left;
    }
    return word;
  }
};

template <class Word>
struct TwiceAsWide;
template <>
struct TwiceAsWide<uint8_t> {
  using type = uint16_t;
};
template <>
struct TwiceAsWide<uint16_t> {
  using type = uint32_t;
};
template <>
struct TwiceAsWide<uint32_t> {
  using type = uint64_t;
};
template <>
struct TwiceAsWide<uint64_t> {
  using type = uint128;
};

// A number in [0, range]; `range` is neither 0 nor the largest Word.
template <class Word, class Bits>
TNP_INLINE Word lemire(Bits& bits, Word range, BitBuffer& buffer) {
  using Wide = typename TwiceAsWide<Word>::type;
  constexpr int width = 8 * sizeof(Word);
  const Word count = static_cast<Word>(range + 1);
  Wide product = static_cast<Wide>(static_cast<Wide>(buffer.next<Word>(bits)) * count);
  if (static_cast<Word>(product) < count) {
    const Word threshold = static_cast<Word>(static_cast<Word>(static_cast<Word>(~Word{0}) - range) % count);
    while (static_cast<Word>(product) < threshold)
      product = static_cast<Wide>(static_cast<Wide>(buffer.next<Word>(bits)) * count);
  }
  return static_cast<Word>(product >> width);
}

template <class Word, class Bits>
TNP_INLINE Word masked(Bits& bits, Word range, Word mask, BitBuffer& buffer) {
  Word value;
  do value = static_cast<Word>(buffer.next<Word>(bits) & mask);
  while (value > range);
  return value;
}

// A number in [0, range], for any range. `use_mask` selects the legacy generator's method.
template <class Word, class Bits>
TNP_INLINE Word bounded(Bits& bits, Word range, Word mask, bool use_mask, BitBuffer& buffer) {
  if (range == 0) return 0;
  if constexpr (sizeof(Word) == 8) {
    // 32 bits suffice, so only 32 are drawn; the full 32-bit range needs no rejection
    if (range <= 0xffffffffU) {
      auto narrow = static_cast<uint32_t>(range);
      if (narrow == 0xffffffffU) return bits.next_uint32();
      return use_mask ? masked<uint32_t>(bits, narrow, static_cast<uint32_t>(mask), buffer)
                      : lemire<uint32_t>(bits, narrow, buffer);
    }
  }
  if (range == static_cast<Word>(~Word{0})) return buffer.next<Word>(bits);
  return use_mask ? masked<Word>(bits, range, mask, buffer) : lemire<Word>(bits, range, buffer);
}

// A number in [0, max].
template <class Bits>
TNP_INLINE uint64_t interval(Bits& bits, uint64_t max, bool use_mask) {
  BitBuffer none;
  if (!use_mask) return bounded<uint64_t>(bits, max, 0, false, none);
  if (max == 0) return 0;
  uint64_t mask = mask_for(max);
  return max <= 0xffffffffU ? masked<uint32_t>(bits, static_cast<uint32_t>(max), static_cast<uint32_t>(mask), none)
                            : masked<uint64_t>(bits, max, mask, none);
}

}  // namespace tnp::random
