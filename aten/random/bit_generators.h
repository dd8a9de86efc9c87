// NumPy's bit generators.
//
// Sources: MT19937: Matsumoto and Nishimura, ACM Trans. Model. Comput. Simul. 8 (1998) 3-30. PCG64
// (XSL-RR) and its DXSM variant: O'Neill, HMC-CS-2014-0905, and the PCG library. Philox4x64-10:
// Salmon et al., SC'11. SFC64: Doty-Humphrey's PractRand.
#pragma once

#include <array>
#include <bit>

#include "aten/core/errors/error.h"
#include "aten/random/attempts.h"
#include "aten/random/generator.h"
#include "aten/random/philox.h"

namespace tnp {

__extension__ typedef unsigned __int128 uint128;

constexpr uint128 make_uint128(uint64_t high, uint64_t low) { return static_cast<uint128>(high) << 64 | low; }

// The next 32 bits of a 64-bit generator: the lower half of a word, then its upper half.
struct HalfWord {
  bool waiting = false;
  uint32_t upper = 0;

  template <class Next>
  TNP_INLINE uint32_t next(Next&& next64) {
    if (waiting) {
      waiting = false;
      return upper;
    }
    uint64_t word = next64();
    waiting = true;
    upper = static_cast<uint32_t>(word >> 32);
    return static_cast<uint32_t>(word);
  }
};

// Common base of the 64-bit generators. `Derived` has step() -> uint64_t, and save() and load() for
// its state words.
template <class Derived, BitGenerator::Kind kKind, int kWords>
class Words64 : public BitGenerator {
 public:
  Words64() : BitGenerator(kKind) {}
  uint64_t next_uint64() final { return derived().step(); }
  uint32_t next_uint32() final {
    return half_.next([&] { return derived().step(); });
  }
  double next_double() final { return to_double(derived().step()); }
  // Writes the results of n calls of next_uint32(), using n / 2 words and the buffered half word.
  template <class NextBlock>
  void split_words(uint32_t* out, int64_t n, NextBlock&& next_block) {
    constexpr int64_t kBlock = 256;
    uint64_t words[kBlock];
    if (n > 0 && half_.waiting) *out++ = next_uint32(), --n;
    while (n > 1) {
      const int64_t m = std::min(n / 2, kBlock);
      next_block(words, m);
      for (int64_t i = 0; i < m; ++i) {
        out[2 * i] = static_cast<uint32_t>(words[i]);
        out[2 * i + 1] = static_cast<uint32_t>(words[i] >> 32);
      }
      half_.upper = out[2 * m - 1];  // the final state equals that after n single draws
      out += 2 * m;
      n -= 2 * m;
    }
    if (n > 0) *out = next_uint32();
  }

  std::vector<uint64_t> state() const final {
    std::vector<uint64_t> words(kWords + 2);
    static_cast<const Derived*>(this)->save(words.data());
    words[kWords] = half_.waiting;
    words[kWords + 1] = half_.upper;
    return words;
  }
  void set_state(const std::vector<uint64_t>& words) final {
    TNP_CHECK(words.size() == kWords + 2, ErrorKind::Value, "state must have ", kWords + 2, " words");
    derived().load(words.data());
    half_.waiting = words[kWords] != 0;
    half_.upper = static_cast<uint32_t>(words[kWords + 1]);
  }

 protected:
  HalfWord half_;

 private:
  Derived& derived() { return *static_cast<Derived*>(this); }
};

// State of both PCG64 generators: state high, low, increment high, low.
class CongruentialState {
 public:
  void save(uint64_t* w) const {
    w[0] = static_cast<uint64_t>(state_ >> 64), w[1] = static_cast<uint64_t>(state_);
    w[2] = static_cast<uint64_t>(increment_ >> 64), w[3] = static_cast<uint64_t>(increment_);
  }
  void load(const uint64_t* w) { state_ = make_uint128(w[0], w[1]), increment_ = make_uint128(w[2], w[3]); }

 protected:
  uint128 state_ = 0, increment_ = 0;
};

class PCG64 final : public Words64<PCG64, BitGenerator::Kind::PCG64, 4>, public CongruentialState {
 public:
  TNP_INLINE uint64_t step() {
    state_ = state_ * kMultiplier + increment_;
    return output(state_);
  }
  // Write the results of n calls of next_uint64(), next_uint32() and next_double(). Four
  // interleaved states, four steps apart, run in parallel (instruction-level parallelism).
  void next_block(uint64_t* out, int64_t n);
  void next_words(uint32_t* out, int64_t n) {
    split_words(out, n, [this](uint64_t* words, int64_t m) { next_block(words, m); });
  }
  void next_doubles(double* out, int64_t n);

 private:
  static constexpr uint128 kMultiplier = make_uint128(2549297995355413924ULL, 4865540595714422341ULL);
  static TNP_INLINE uint64_t output(uint128 state) {
    return std::rotr(static_cast<uint64_t>(state >> 64) ^ static_cast<uint64_t>(state), static_cast<int>(state >> 122));
  }
};

class PCG64DXSM final : public Words64<PCG64DXSM, BitGenerator::Kind::PCG64DXSM, 4>, public CongruentialState {
 public:
  TNP_INLINE uint64_t step() {
    constexpr uint64_t multiplier = 0xda942042e4dd58b5ULL;
    uint64_t high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_) | 1;
    high ^= high >> 32;
    high *= multiplier;
    high ^= high >> 48;
    high *= low;
    state_ = state_ * multiplier + increment_;
    return high;
  }
};

// State: a, b, c, counter.
class SFC64 final : public Words64<SFC64, BitGenerator::Kind::SFC64, 4> {
 public:
  TNP_INLINE uint64_t step() {
    uint64_t result = s_[0] + s_[1] + s_[3]++;
    s_[0] = s_[1] ^ (s_[1] >> 11);
    s_[1] = s_[2] + (s_[2] << 3);
    s_[2] = std::rotl(s_[2], 24) + result;
    return result;
  }
  void save(uint64_t* w) const { std::copy(s_.begin(), s_.end(), w); }
  void load(const uint64_t* w) { std::copy(w, w + 4, s_.begin()); }

 private:
  std::array<uint64_t, 4> s_{};
};

// State: counter[4], key[2], buffer[4], position in the buffer.
class Philox final : public Words64<Philox, BitGenerator::Kind::Philox, 11> {
 public:
  TNP_INLINE uint64_t step() {
    if (TNP_UNLIKELY(position_ == 4)) refill();
    return buffer_[position_++];
  }
  // Write the results of n calls of next_uint64(), next_uint32() and next_double(). They compute
  // two counters at a time.
  void next_block(uint64_t* out, int64_t n);
  void next_words(uint32_t* out, int64_t n) {
    split_words(out, n, [this](uint64_t* words, int64_t m) { next_block(words, m); });
  }
  void next_doubles(double* out, int64_t n);

  // stream() describes the upcoming words, for random access by threads. resume() sets the state to
  // a stream's. skip() and skip_halves() advance the state as n calls of next_uint64() or
  // next_uint32() would.
  random::PhiloxStream stream() const;
  void resume(const random::PhiloxStream& stream);
  void skip(uint64_t n);
  void skip_halves(uint64_t n);

  void save(uint64_t* w) const {
    std::copy(counter_, counter_ + 4, w);
    std::copy(key_, key_ + 2, w + 4);
    std::copy(buffer_, buffer_ + 4, w + 6);
    w[10] = position_;
  }
  void load(const uint64_t* w) {
    std::copy(w, w + 4, counter_);
    std::copy(w + 4, w + 6, key_);
    std::copy(w + 6, w + 10, buffer_);
    position_ = std::min<uint64_t>(w[10], 4);
  }

 private:
  void refill() { advance(1), position_ = 0; }
  void advance(uint64_t blocks);  // advances the counter and recomputes the buffer
  uint64_t counter_[4]{}, buffer_[4]{}, key_[2]{};
  uint64_t position_ = 4;
};

// State: 624 key words, position.
class TNP_API MT19937 final : public BitGenerator {
 public:
  static constexpr int kLength = 624;
  struct State {  // the layout of NumPy's struct
    uint32_t key[kLength] = {};
    int position = kLength;
  };

  MT19937() : BitGenerator(Kind::MT19937) {}
  // Uses a state owned by foreign code that also draws from it.
  MT19937(State* state, std::unique_ptr<OuterLock> lock) : BitGenerator(Kind::MT19937), state_(state) {
    outer_ = std::move(lock);
  }
  void seed(uint32_t seed) {  // Knuth's initialisation, TAOCP 2, 3rd edition, p. 106
    for (int i = 0; i < kLength; ++i) {
      state_->key[i] = seed;
      seed = 1812433253U * (seed ^ (seed >> 30)) + static_cast<uint32_t>(i) + 1;
    }
    state_->position = kLength;
  }
  uint32_t next_uint32() final {
    if (state_->position == kLength) refill();
    return temper(state_->key[state_->position++]);
  }
  uint64_t next_uint64() final {
    uint64_t high = next_uint32();
    return high << 32 | next_uint32();
  }
  double next_double() final {
    uint32_t a = next_uint32() >> 5, b = next_uint32() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  uint64_t next_raw() final { return next_uint32(); }
  // Write the results of n calls of next_uint32() and next_double().
  void next_words(uint32_t* out, int64_t n);
  void next_doubles(double* out, int64_t n);

  std::vector<uint64_t> state() const final {
    std::vector<uint64_t> words(state_->key, state_->key + kLength);
    words.push_back(static_cast<uint64_t>(state_->position));
    return words;
  }
  void set_state(const std::vector<uint64_t>& words) final {
    TNP_CHECK(words.size() == kLength + 1, ErrorKind::Value, "state must be 624 longs");
    TNP_CHECK(words[kLength] <= kLength, ErrorKind::Value, "position ", words[kLength], " lies outside of the state");
    for (size_t i = 0; i < kLength; ++i) state_->key[i] = static_cast<uint32_t>(words[i]);
    state_->position = static_cast<int>(words[kLength]);
  }

 private:
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }
  void refill();
  State own_, *state_ = &own_;
};

// Calls f with the generator as its concrete class, so that loops over it need no virtual calls.
template <class F>
TNP_INLINE void visit_bits(BitGenerator& bits, F&& f) {
  switch (bits.kind()) {
    case BitGenerator::Kind::PCG64:
      return f(static_cast<PCG64&>(bits));
    case BitGenerator::Kind::MT19937:
      return f(static_cast<MT19937&>(bits));
    case BitGenerator::Kind::Philox:
      return f(static_cast<Philox&>(bits));
    default:
      return f(bits);
  }
}

}  // namespace tnp
