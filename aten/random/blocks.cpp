// MT19937 a block at a time: plain loops, of which the compiler makes vectors.
#include "aten/random/blocks.h"

namespace tnp {

void MT19937::refill() {
  auto twist = [](uint32_t upper, uint32_t lower) {
    uint32_t y = (upper & 0x80000000U) | (lower & 0x7fffffffU);
    return (y >> 1) ^ (-(y & 1U) & 0x9908b0dfU);
  };
  constexpr int kAhead = 397;
  uint32_t* key = key_.data();
  for (int i = 0; i < kLength - kAhead; ++i) key[i] = key[i + kAhead] ^ twist(key[i], key[i + 1]);
  // No element of a vector depends on another: they are 227 apart.
  for (int i = kLength - kAhead; i < kLength - 1; ++i) key[i] = key[i + kAhead - kLength] ^ twist(key[i], key[i + 1]);
  key[kLength - 1] = key[kAhead - 1] ^ twist(key[kLength - 1], key[0]);
  position_ = 0;
}

void MT19937::next_words(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (position_ == kLength) refill();
    const auto m = static_cast<int>(std::min<int64_t>(n, kLength - position_));
    const uint32_t* key = key_.data() + position_;
    for (int i = 0; i < m; ++i) out[i] = temper(key[i]);
    position_ += m;
    out += m;
    n -= m;
  }
}

void MT19937::next_doubles(double* out, int64_t n) {
  constexpr int64_t kBlock = 256;
  uint32_t words[2 * kBlock];
  while (n > 0) {
    const int64_t m = std::min(n, kBlock);
    next_words(words, 2 * m);
    for (int64_t i = 0; i < m; ++i) {  // both parts have fewer than 31 bits
      auto high = static_cast<int32_t>(words[2 * i] >> 5), low = static_cast<int32_t>(words[2 * i + 1] >> 6);
      out[i] = (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
    }
    out += m;
    n -= m;
  }
}

}  // namespace tnp
