// Single attempts of rejection methods. Each function reads bits from a stream and returns whether
// it accepts them. CPU loops repeat an attempt until it accepts. Device kernels try many positions
// of a stream at once.
//
// Sources: the ziggurats: see ziggurat.h. The normal tail: Marsaglia, Technometrics 6 (1964) 101.
// The polar method: Marsaglia and Bray, SIAM Rev. 6 (1964) 260. Integers: Lemire, ACM Trans. Model.
// Comput. Simul. 29 (2019) no. 3.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "aten/core/macros.h"
#include "aten/random/philox.h"
#include "aten/random/ziggurat.h"

namespace tnp {

// Uniform numbers in [0, 1): 53 bits for double, 24 bits for float.
TNP_HOST_DEVICE TNP_INLINE double to_double(uint64_t bits) {
  return static_cast<double>(bits >> 11) * (1.0 / 9007199254740992.0);
}
TNP_HOST_DEVICE TNP_INLINE float to_float(uint32_t bits) {
  return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
}

}  // namespace tnp

namespace tnp::random {

// An exponential number by the inverse CDF. As in NumPy, the logarithm is in double for single
// precision too.
template <class T>
TNP_HOST_DEVICE TNP_INLINE T minus_log1p(T u) {
  return static_cast<T>(-std::log1p(-static_cast<double>(u)));
}

// `bits` has next_uint64() and next_double(), or next_uint32() for single precision. Returns false
// on rejection.
template <class Bits>
TNP_HOST_DEVICE TNP_INLINE bool try_exponential(Bits& bits, const ZigguratTable<double, uint64_t>& t, double& x) {
  uint64_t r = bits.next_uint64() >> 3;
  const int layer = static_cast<int>(r & 0xff);
  r >>= 8;
  x = static_cast<double>(r) * t.w[layer];
  if (TNP_LIKELY(r < t.k[layer])) return true;
  if (layer == 0) {
    x = kExponentialTail - std::log1p(-bits.next_double());
    return true;
  }
  return (t.f[layer - 1] - t.f[layer]) * bits.next_double() + t.f[layer] < std::exp(-x);
}

template <class Bits>
TNP_HOST_DEVICE TNP_INLINE bool try_exponential(Bits& bits, const ZigguratTable<float, uint32_t>& t, float& x) {
  uint32_t r = bits.next_uint32() >> 1;
  const int layer = static_cast<int>(r & 0xff);
  r >>= 8;
  x = static_cast<float>(r) * t.w[layer];
  if (TNP_LIKELY(r < t.k[layer])) return true;
  if (layer == 0) {
    x = static_cast<float>(kExponentialTail) - std::log1p(-to_float(bits.next_uint32()));
    return true;
  }
  return (t.f[layer - 1] - t.f[layer]) * to_float(bits.next_uint32()) + t.f[layer] < std::exp(-x);
}

// A number of the normal tail, as its distance beyond the start of the tail. Rarely called, so not
// inlined.
template <class Bits>
TNP_HOST_DEVICE TNP_COLD double normal_tail(Bits& bits) {
  for (;;) {
    const double a = -kNormalTailInverse * std::log1p(-bits.next_double()), b = -std::log1p(-bits.next_double());
    if (b + b > a * a) return a;
  }
}
template <class Bits>
TNP_HOST_DEVICE TNP_COLD float normal_tail_float(Bits& bits) {
  for (;;) {
    const float a = -static_cast<float>(kNormalTailInverse) * std::log1p(-to_float(bits.next_uint32()));
    const float b = -std::log1p(-to_float(bits.next_uint32()));
    if (b + b > a * a) return a;
  }
}

template <class Bits>
TNP_HOST_DEVICE TNP_INLINE bool try_normal(Bits& bits, const ZigguratTable<double, uint64_t>& t, double& x) {
  uint64_t r = bits.next_uint64();
  const int layer = static_cast<int>(r & 0xff);
  r >>= 8;
  const uint64_t magnitude = (r >> 1) & 0x000fffffffffffff;
  x = static_cast<double>(magnitude) * t.w[layer];
  // Sets the sign without a branch: a branch on a random bit would be mispredicted.
  x = std::bit_cast<double>(std::bit_cast<uint64_t>(x) | r << 63);
  if (TNP_LIKELY(magnitude < t.k[layer])) return true;
  if (layer == 0) {
    const double a = normal_tail(bits);
    x = (magnitude >> 8) & 1 ? -(kNormalTail + a) : kNormalTail + a;
    return true;
  }
  return (t.f[layer - 1] - t.f[layer]) * bits.next_double() + t.f[layer] < std::exp(-0.5 * x * x);
}

template <class Bits>
TNP_HOST_DEVICE TNP_INLINE bool try_normal(Bits& bits, const ZigguratTable<float, uint32_t>& t, float& x) {
  const uint32_t r = bits.next_uint32();
  const int layer = static_cast<int>(r & 0xff);
  const uint32_t magnitude = (r >> 9) & 0x007fffff;
  x = static_cast<float>(magnitude) * t.w[layer];
  x = std::bit_cast<float>(std::bit_cast<uint32_t>(x) | (r >> 8) << 31);
  if (TNP_LIKELY(magnitude < t.k[layer])) return true;
  if (layer == 0) {
    const float a = normal_tail_float(bits);
    x = (magnitude >> 8) & 1 ? -(static_cast<float>(kNormalTail) + a) : static_cast<float>(kNormalTail) + a;
    return true;
  }
  return static_cast<double>((t.f[layer - 1] - t.f[layer]) * to_float(bits.next_uint32()) + t.f[layer]) <
         std::exp(-0.5 * x * x);
}

// One attempt of the polar method, which yields two numbers at once.
template <class Bits>
TNP_HOST_DEVICE TNP_INLINE bool try_polar(Bits& bits, double& first, double& second) {
  const double x = 2.0 * bits.next_double() - 1.0, y = 2.0 * bits.next_double() - 1.0, square = x * x + y * y;
  if (square >= 1.0 || square == 0.0) return false;
  const double scale = std::sqrt(-2.0 * std::log(square) / square);
  first = scale * y;
  second = scale * x;
  return true;
}

// Sets `value` to an integer in [0, range]. Rejects words that would make some values more likely
// than other values. `range` must not be the largest Word.
template <class Word>
TNP_HOST_DEVICE TNP_INLINE bool try_lemire(Word word, Word range, Word threshold, Word& value) {
  const Word count = static_cast<Word>(range + 1);
  Word low;
  if constexpr (sizeof(Word) == 8) {
    low = word * count;
    value = multiply_high(word, count);
  } else {
    const uint64_t product = static_cast<uint64_t>(word) * count;
    low = static_cast<Word>(product);
    value = static_cast<Word>(product >> (8 * sizeof(Word)));
  }
  return low >= threshold;
}
template <class Word>
TNP_HOST_DEVICE TNP_INLINE Word lemire_threshold(Word range) {
  return static_cast<Word>(static_cast<Word>(static_cast<Word>(~Word{0}) - range) % static_cast<Word>(range + 1));
}

}  // namespace tnp::random
