// The numbers of PyTorch's CPU generator, computed from the words of its MT19937.
#pragma once

#include <cmath>
#include <numbers>

#include "aten/core/threads/parallel.h"
#include "aten/random/bit_generators.h"

namespace tnp::random {

// Draws from a generator as PyTorch does. The caller holds the generator's lock.
class TorchStream {
 public:
  explicit TorchStream(Generator& g) : g_(g), bits_(static_cast<MT19937&>(*g.bits)) {}

  uint32_t word() { return bits_.next_uint32(); }
  uint64_t words() { return bits_.next_uint64(); }
  // A uniform number in [0, 1): 24 bits of a word for float, 53 bits of two words for double.
  double uniform() { return static_cast<double>(words() & kMask53) * kUnit53; }

  void fill_words(uint32_t* out, int64_t n) { bits_.next_words(out, n); }
  void fill_uniform(float* out, int64_t n) {
    in_blocks(n, [&](int64_t first, int64_t m) {
      uint32_t words[kBlock];
      bits_.next_words(words, m);
      for (int64_t i = 0; i < m; ++i)
        out[first + i] = static_cast<float>(static_cast<int32_t>(words[i] & 0xffffffU)) * 0x1p-24f;
    });
  }
  void fill_uniform(double* out, int64_t n) {
    in_blocks(n, [&](int64_t first, int64_t m) {
      uint32_t words[2 * kBlock];
      bits_.next_words(words, 2 * m);
      for (int64_t i = 0; i < m; ++i) {
        const uint64_t both = static_cast<uint64_t>(words[2 * i]) << 32 | words[2 * i + 1];
        out[first + i] = static_cast<double>(static_cast<int64_t>(both & kMask53)) * kUnit53;
      }
    });
  }

  // Returns one number of a pair and keeps the other.
  double normal() {
    if (g_.gauss->is_there) {
      g_.gauss->is_there = 0;
      return g_.gauss->value;
    }
    const double u = uniform(), v = uniform(), radius = std::sqrt(-2.0 * std::log1p(-v));
    const double angle = 2.0 * std::numbers::pi * u;
    *g_.gauss = {1, radius * std::sin(angle)};
    return radius * std::cos(angle);
  }

  // Writes n normal numbers. If n < 16 or the results are not `dense`, numbers are drawn one by
  // one. Otherwise box_muller(blocks, count, mean, deviation) transforms blocks of 16 uniform
  // numbers to normal ones in place. If the last block is incomplete, the last 16 numbers are drawn
  // again. For 16-bit results (`halves`) the first pass does not draw the incomplete block.
  template <class T, class F>
  void fill_normal(T* out, int64_t n, double mean, double deviation, bool dense, bool halves, F box_muller) {
    if (n < 16 || !dense) {
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(normal() * deviation + mean);
      return;
    }
    const T center = static_cast<T>(mean), scale = static_cast<T>(deviation);
    fill_uniform(out, halves ? n / 16 * 16 : n);
    parallel_for(0, n / 16, 256,
                 [&](int64_t begin, int64_t end) { box_muller(out + 16 * begin, end - begin, center, scale); });
    if (n % 16 == 0) return;
    fill_uniform(out + n - 16, 16);
    box_muller(out + n - 16, 1, center, scale);
  }

 private:
  static constexpr uint64_t kMask53 = (uint64_t{1} << 53) - 1;
  static constexpr double kUnit53 = 0x1p-53;
  static constexpr int64_t kBlock = 624;
  template <class F>
  static void in_blocks(int64_t n, F f) {
    for (int64_t first = 0; first < n; first += kBlock) f(first, std::min(kBlock, n - first));
  }
  Generator& g_;
  MT19937& bits_;
};

}  // namespace tnp::random
