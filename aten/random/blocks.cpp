// Block generation for MT19937, PCG64 and Philox, in loops that vectorise or at least have no
// dependency between consecutive steps.
#include "aten/random/blocks.h"

namespace tnp {

namespace {

// Writes the results of n calls of next_double(), each from a whole word.
template <class Bits>
void doubles_of_blocks(Bits& bits, double* out, int64_t n) {
  constexpr int64_t kBlock = 256;
  uint64_t words[kBlock];
  while (n > 0) {
    const int64_t m = std::min(n, kBlock);
    bits.next_block(words, m);
    for (int64_t i = 0; i < m; ++i) out[i] = to_double(words[i]);
    out += m;
    n -= m;
  }
}

}  // namespace

void MT19937::refill() {
  auto twist = [](uint32_t upper, uint32_t lower) {
    uint32_t y = (upper & 0x80000000U) | (lower & 0x7fffffffU);
    return (y >> 1) ^ (-(y & 1U) & 0x9908b0dfU);
  };
  constexpr int kAhead = 397;
  uint32_t* key = state_->key;
  for (int i = 0; i < kLength - kAhead; ++i) key[i] = key[i + kAhead] ^ twist(key[i], key[i + 1]);
  // Vectorises: an element depends only on elements at least 227 positions away.
  for (int i = kLength - kAhead; i < kLength - 1; ++i) key[i] = key[i + kAhead - kLength] ^ twist(key[i], key[i + 1]);
  key[kLength - 1] = key[kAhead - 1] ^ twist(key[kLength - 1], key[0]);
  state_->position = 0;
}

void MT19937::next_words(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (state_->position == kLength) refill();
    const auto m = static_cast<int>(std::min<int64_t>(n, kLength - state_->position));
    const uint32_t* key = state_->key + state_->position;
    for (int i = 0; i < m; ++i) out[i] = temper(key[i]);
    state_->position += m;
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
    // both parts have fewer than 31 bits, so the faster int32 conversion applies
    for (int64_t i = 0; i < m; ++i) {
      auto high = static_cast<int32_t>(words[2 * i] >> 5), low = static_cast<int32_t>(words[2 * i + 1] >> 6);
      out[i] = (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
    }
    out += m;
    n -= m;
  }
}

void PCG64::next_block(uint64_t* out, int64_t n) {
  constexpr uint128 two = kMultiplier * kMultiplier, four = two * two;
  // the increment of four steps
  const uint128 increment = increment_ * (kMultiplier * two + two + kMultiplier + 1);
  uint128 lane[4];
  int64_t i = 0;
  if (n >= 8) {
    for (uint128& state : lane) state = state_ = state_ * kMultiplier + increment_;
    for (;; i += 4) {
      for (int k = 0; k < 4; ++k) out[i + k] = output(lane[k]);
      if (i + 8 > n) break;
      for (uint128& state : lane) state = state * four + increment;
    }
    state_ = lane[3];
    i += 4;
  }
  for (; i < n; ++i) out[i] = step();
}

void PCG64::next_doubles(double* out, int64_t n) { doubles_of_blocks(*this, out, n); }

void Philox::advance(uint64_t blocks) {
  random::PhiloxBlock x = random::PhiloxBlock::load(counter_).plus(blocks);
  x.store(counter_);
  random::philox(key_[0], key_[1], x);
  x.store(buffer_);
}

void Philox::next_block(uint64_t* out, int64_t n) {
  while (n > 0 && position_ < 4) *out++ = buffer_[position_++], --n;
  if (n > 8) {
    random::PhiloxBlock counter = random::PhiloxBlock::load(counter_);
    const uint64_t key0 = key_[0], key1 = key_[1];
    for (; n > 8; n -= 8, out += 8) {
      random::PhiloxBlock x = counter.plus(1), y = counter = counter.plus(2);
      random::philox(key0, key1, x, y);
      x.store(out);
      y.store(out + 4);
    }
    counter.store(counter_);
  }
  for (; n > 0; --n) *out++ = step();  // includes at least the last block, which must end up in the buffer
}

void Philox::next_doubles(double* out, int64_t n) { doubles_of_blocks(*this, out, n); }

random::PhiloxStream Philox::stream() const {
  random::PhiloxStream s{};
  std::copy(counter_, counter_ + 4, s.counter);
  std::copy(key_, key_ + 2, s.key);
  std::copy(buffer_, buffer_ + 4, s.buffer);
  s.position = static_cast<int32_t>(position_);
  s.waiting = half_.waiting;
  s.upper = half_.upper;
  return s;
}

void Philox::resume(const random::PhiloxStream& s) {
  std::copy(s.counter, s.counter + 4, counter_);
  std::copy(s.key, s.key + 2, key_);
  std::copy(s.buffer, s.buffer + 4, buffer_);
  position_ = static_cast<uint64_t>(s.position);
  half_ = {s.waiting != 0, s.upper};
}

void Philox::skip(uint64_t n) {
  const uint64_t left = 4 - position_;
  if (n <= left) {
    position_ += n;
    return;
  }
  const uint64_t blocks = (n - left - 1) / 4 + 1;
  advance(blocks);
  position_ = n - left - 4 * (blocks - 1);
}

void Philox::skip_halves(uint64_t n) {
  if (n > 0 && half_.waiting) half_.waiting = false, --n;
  if (n == 0) return;
  skip((n + 1) / 2);
  half_.waiting = n % 2 != 0;
  half_.upper = static_cast<uint32_t>(buffer_[position_ - 1] >> 32);
}

namespace random {
PhiloxStream philox_stream(const Generator& g) { return static_cast<const Philox&>(*g.bits).stream(); }
void skip_words(Generator& g, int64_t n) { static_cast<Philox&>(*g.bits).skip(static_cast<uint64_t>(n)); }
void skip_halves(Generator& g, int64_t n) { static_cast<Philox&>(*g.bits).skip_halves(static_cast<uint64_t>(n)); }
}  // namespace random

}  // namespace tnp
