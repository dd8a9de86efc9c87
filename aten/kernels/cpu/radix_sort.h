// Radix sort, least significant digit first: what long lines of real numbers are sorted with. Stable, O(n).
//
// Source: Knuth, The Art of Computer Programming 3, 5.2.5, algorithm R. Digits of 11 bits keep the counters in L1.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "aten/core/dtype.h"

namespace tnp {

// An unsigned integer that orders as the number does. NaN has none; -0.0 comes before 0.0.
template <class T>
struct RadixKey {
  using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t,
               std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));

  static Bits encode(T v) {
    Bits bits = std::bit_cast<Bits>(v);
    if constexpr (is_floating_v<T>) return static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
    else if constexpr (std::is_signed_v<T>) return static_cast<Bits>(bits ^ kSign);
    else return bits;
  }
  static T decode(Bits key) {
    if constexpr (is_floating_v<T>) return std::bit_cast<T>(static_cast<Bits>(key & kSign ? key & ~kSign : ~key));
    else if constexpr (std::is_signed_v<T>) return std::bit_cast<T>(static_cast<Bits>(key ^ kSign));
    else return std::bit_cast<T>(key);
  }
};

// Below this many elements comparing is faster than counting.
inline constexpr int64_t kRadixSortMinimum = 2048;

// Sorts `items` by key_of(item), an unsigned integer. `spare` has room for n items too. Returns whichever of the two
// holds the result.
template <class Item, class KeyOf>
Item* radix_sort(Item* items, Item* spare, int64_t n, KeyOf key_of) {
  using Key = decltype(key_of(*items));
  constexpr int kDigitBits = 11, kDigits = (8 * static_cast<int>(sizeof(Key)) + kDigitBits - 1) / kDigitBits;
  constexpr uint64_t kMask = (1u << kDigitBits) - 1;
  auto counts = std::make_unique<std::array<std::array<int64_t, kMask + 1>, kDigits>>();
  for (int64_t i = 0; i < n; ++i) {
    uint64_t key = key_of(items[i]);
    for (int d = 0; d < kDigits; ++d) ++(*counts)[static_cast<size_t>(d)][key >> (d * kDigitBits) & kMask];
  }
  for (int d = 0; d < kDigits; ++d) {
    auto& places = (*counts)[static_cast<size_t>(d)];
    if (places[static_cast<uint64_t>(key_of(items[0])) >> (d * kDigitBits) & kMask] == n) continue;  // all the same
    int64_t place = 0;
    for (int64_t& count : places) place += std::exchange(count, place);
    for (int64_t i = 0; i < n; ++i) {
      spare[places[static_cast<uint64_t>(key_of(items[i])) >> (d * kDigitBits) & kMask]++] = items[i];
    }
    std::swap(items, spare);
  }
  return items;
}

}  // namespace tnp
