// Bulk draws, with the same values in the same order as single draws.
//
// Where draws may be rejected, a block draws exactly as many words as numbers are still missing.
// Each word yields at most one number, so no word is consumed that belongs to the next call.
// Acceptance is arithmetic, not a branch, since rejections are unpredictable.
#pragma once

#include <algorithm>
#include <cmath>

#include "aten/random/distributions.h"

namespace tnp::random {

inline constexpr int64_t kBlock = 512;

template <class Bits>
void next_words(Bits& bits, uint32_t* out, int64_t n) {
  if constexpr (requires { bits.next_words(out, n); })
    bits.next_words(out, n);
  else
    for (int64_t i = 0; i < n; ++i) out[i] = bits.next_uint32();
}

template <class Bits>
void next_doubles(Bits& bits, double* out, int64_t n) {
  if constexpr (requires { bits.next_doubles(out, n); })
    bits.next_doubles(out, n);
  else
    for (int64_t i = 0; i < n; ++i) out[i] = bits.next_double();
}

// Reads ahead of a Philox in blocks, for loops that do not know in advance how many units they
// consume. All units are of one type, uint64_t or uint32_t. The destructor returns unused units to
// the generator.
template <class Unit>
class PhiloxAhead {
 public:
  explicit PhiloxAhead(Philox& bits) : bits_(bits), begin_(bits.stream()) {}
  ~PhiloxAhead() {
    bits_.resume(begin_);
    const uint64_t used = read_ - static_cast<uint64_t>(kUnits - at_);
    if constexpr (sizeof(Unit) == 8)
      bits_.skip(used);
    else
      bits_.skip_halves(used);
  }
  PhiloxAhead(const PhiloxAhead&) = delete;
  PhiloxAhead& operator=(const PhiloxAhead&) = delete;
  uint64_t next_uint64()
    requires(sizeof(Unit) == 8)
  {
    return next();
  }
  double next_double()
    requires(sizeof(Unit) == 8)
  {
    return to_double(next());
  }
  uint32_t next_uint32()
    requires(sizeof(Unit) == 4)
  {
    return next();
  }

 private:
  static constexpr int kUnits = 64;
  TNP_INLINE Unit next() {
    if (TNP_UNLIKELY(at_ == kUnits)) refill();
    return units_[at_++];
  }
  void refill() {
    if constexpr (sizeof(Unit) == 8)
      bits_.next_block(units_, kUnits);
    else
      bits_.next_words(units_, kUnits);
    read_ += kUnits;
    at_ = 0;
  }
  Philox& bits_;
  random::PhiloxStream begin_;
  Unit units_[kUnits];
  int at_ = kUnits;
  uint64_t read_ = 0;
};

// Calls f(bits). If `bits` is a Philox and n >= 32, f gets a PhiloxAhead instead, with units of
// type Unit.
template <class Unit, class Bits, class F>
TNP_INLINE void with_ahead(Bits& bits, int64_t n, F&& f) {
  if constexpr (std::is_same_v<Bits, Philox>) {
    if (n >= 32) {
      PhiloxAhead<Unit> ahead(bits);
      return f(ahead);
    }
  }
  f(bits);
}

// Writes the results of n calls of polar_normal().
template <class Bits>
void fill_polar_normal(Generator& g, Bits& bits, double* out, int64_t n) {
  if (n > 0 && g.gauss->is_there) {
    g.gauss->is_there = 0;
    *out++ = std::exchange(g.gauss->value, 0.0);
    --n;
  }
  double uniform[2 * kBlock], x[kBlock], y[kBlock], square[kBlock];
  while (n > 0) {
    const int64_t pairs = std::min((n + 1) / 2, kBlock);
    next_doubles(bits, uniform, 2 * pairs);
    int64_t accepted = 0;
    for (int64_t i = 0; i < pairs; ++i) {
      double u = 2.0 * uniform[2 * i] - 1.0, v = 2.0 * uniform[2 * i + 1] - 1.0, s = u * u + v * v;
      x[accepted] = u, y[accepted] = v, square[accepted] = s;
      accepted += static_cast<int64_t>(s < 1.0) & static_cast<int64_t>(s != 0.0);
    }
    for (int64_t i = 0; i < accepted; ++i) uniform[i] = std::log(square[i]);
    for (int64_t i = 0; i < accepted; ++i) square[i] = std::sqrt(-2.0 * uniform[i] / square[i]);
    const int64_t whole = std::min(accepted, n / 2);
    for (int64_t i = 0; i < whole; ++i) {
      out[2 * i] = square[i] * y[i];
      out[2 * i + 1] = square[i] * x[i];
    }
    out += 2 * whole;
    n -= 2 * whole;
    if (accepted > whole) {  // only one number of the last pair is needed; the other is kept
      *out = square[whole] * y[whole];
      *g.gauss = {1, square[whole] * x[whole]};
      n = 0;
    }
  }
}

// Writes lowest + value_of(word) for the first n accepted words. Draws words in blocks and accepts
// without branches.
template <class T, class Bits, class Value, class Accepts>
void fill_accepted(Bits& bits, T lowest, T* out, int64_t n, Value value_of, Accepts accepts) {
  using Word = std::make_unsigned_t<T>;
  uint32_t words[kBlock];
  while (n > 0) {
    const int64_t drawn = std::min(n, kBlock);
    next_words(bits, words, drawn);
    int64_t accepted = 0;
    for (int64_t i = 0; i < drawn; ++i) {
      out[accepted] = static_cast<T>(static_cast<Word>(lowest) + static_cast<Word>(value_of(words[i])));
      accepted += accepts(words[i]);
    }
    out += accepted;
    n -= accepted;
  }
}

// Writes n numbers lowest + masked<uint32_t>(range).
template <class T, class Bits>
void fill_masked(Bits& bits, T lowest, uint32_t range, uint32_t mask, T* out, int64_t n) {
  fill_accepted(
      bits, lowest, out, n, [=](uint32_t word) { return word & mask; },
      [=](uint32_t word) { return (word & mask) <= range; });
}

// Writes n numbers lowest + lemire<uint32_t>(range).
template <class T, class Bits>
void fill_lemire(Bits& bits, T lowest, uint32_t range, T* out, int64_t n) {
  const uint32_t count = range + 1, threshold = (0xffffffffU - range) % count;
  auto product = [=](uint32_t word) { return static_cast<uint64_t>(word) * count; };
  fill_accepted(
      bits, lowest, out, n, [=](uint32_t word) { return product(word) >> 32; },
      [=](uint32_t word) { return static_cast<uint32_t>(product(word)) >= threshold; });
}

// Fisher-Yates shuffle (Durstenfeld's version) of the last n - first positions of data[0, n), with
// masked() numbers.
template <class T, class Bits>
void shuffle_masked(Bits& bits, T* data, int64_t n, int64_t first) {
  uint32_t words[kBlock];
  int64_t i = n - 1;
  for (; i >= first && i > 0xffffffff; --i) std::swap(data[i], data[interval(bits, static_cast<uint64_t>(i), true)]);
  while (i >= first && i > 0) {
    const auto mask = static_cast<uint32_t>(mask_for(static_cast<uint64_t>(i)));
    const int64_t drawn =
        // at most until the mask changes
        std::min({kBlock, i - first + 1, i - static_cast<int64_t>(mask >> 1)});
    next_words(bits, words, drawn);
    int64_t accepted = 0;
    for (int64_t k = 0; k < drawn; ++k) {
      const uint32_t value = words[k] & mask;
      words[accepted] = value;
      accepted += value <= static_cast<uint32_t>(i - accepted);
    }
    for (int64_t k = 0; k < accepted; ++k) __builtin_prefetch(data + words[k], 1);
    for (int64_t k = 0; k < accepted; ++k, --i) std::swap(data[i], data[words[k]]);
  }
}

}  // namespace tnp::random
