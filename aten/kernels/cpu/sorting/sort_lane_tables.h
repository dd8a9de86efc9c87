// Tables of permutations that move the lanes selected by a mask to the front of a vector and the
// the other lanes to the back.
#pragma once

#include <array>
#include <cstdint>

namespace tnp::sort_loops {

namespace {

// Each entry has one byte per lane: the index of the source lane. With `width` 2, lanes are pairs
// of numbers, and only the first 4 bits of the mask count.
constexpr std::array<uint64_t, 256> lanes_in_front(int lanes, int width) {
  std::array<uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 1u << lanes; ++mask) {
    int at = 0;
    for (unsigned wanted : {1u, 0u}) {
      for (int lane = 0; lane < lanes; ++lane) {
        if ((mask >> lane & 1) != wanted) continue;
        for (int part = 0; part < width; ++part)
          table[mask] |= static_cast<uint64_t>(lane * width + part) << (8 * at++);
      }
    }
  }
  return table;
}

[[maybe_unused]] constexpr std::array<uint64_t, 256> kFrontOfEight = lanes_in_front(8, 1);
[[maybe_unused]] constexpr std::array<uint64_t, 256> kFrontOfFour = lanes_in_front(4, 2);

}  // namespace

}  // namespace tnp::sort_loops
