// The true elements of a mask.
#pragma once

#include <cstdint>
#include <cstring>

namespace tnp {

// Eight bytes of a mask, with each nonzero byte replaced by 1.
inline uint64_t true_bytes(const uint8_t* m) {
  uint64_t word;
  std::memcpy(&word, m, sizeof word);
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7fu;
  return ((((word & kLow) + kLow) | word) & ~kLow) >> 7;
}
// The number of bytes in m[0, n) that are not 0.
int64_t count_nonzero_bytes(const uint8_t* m, int64_t n);

}  // namespace tnp
