// The sort order of all sorting kernels, as a comparison and as an integer key.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "aten/core/numbers/dtype.h"

namespace tnp {

// NumPy's order: NaN is the largest. Complex numbers compare by real part, then by imaginary part.
template <class T>
struct SortLess {
  TNP_HOST_DEVICE bool operator()(T a, T b) const {
    if constexpr (is_complex_v<T>) {
      if (a.re < b.re) return a.im == a.im || b.im != b.im;
      if (a.re > b.re) return b.im != b.im && a.im == a.im;
      if (a.re == b.re || (a.re != a.re && b.re != b.re)) return a.im < b.im || (b.im != b.im && a.im == a.im);
      return b.re != b.re;
    } else if constexpr (is_reduced_float_v<T>) {
      return SortLess<float>()(static_cast<float>(a), static_cast<float>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return a < b || (b != b && a == a);
    } else {
      return a < b;
    }
  }
};

// Maps numbers to unsigned integers with the same order. -0.0 comes before 0.0. NaN loses its sign
// and is the largest.
template <class T>
struct RadixKey {
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));

  TNP_HOST_DEVICE static Bits encode(T v) {
    Bits bits = std::bit_cast<Bits>(v);
    if constexpr (is_floating_v<T>) {
      const T infinity = T(std::numeric_limits<float>::infinity());
      const Bits nan_above = static_cast<Bits>(std::bit_cast<Bits>(infinity) | kSign);
      Bits flipped = static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
      return (bits | kSign) > nan_above ? static_cast<Bits>(bits | kSign) : flipped;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Bits>(bits ^ kSign);
    } else {
      return bits;
    }
  }
  TNP_HOST_DEVICE static T decode(Bits key) {
    if constexpr (is_floating_v<T>)
      return std::bit_cast<T>(static_cast<Bits>(key & kSign ? key & ~kSign : ~key));
    else if constexpr (std::is_signed_v<T>)
      return std::bit_cast<T>(static_cast<Bits>(key ^ kSign));
    else
      return std::bit_cast<T>(key);
  }
  // A key that is the same for numbers that compare equal: for both zeros, and for all NaNs.
  TNP_HOST_DEVICE static Bits encode_equal(T v) {
    Bits key = encode(v);
    if constexpr (is_floating_v<T>) {
      if (key == static_cast<Bits>(kSign - 1)) return kSign;
      const Bits infinity = std::bit_cast<Bits>(T(std::numeric_limits<float>::infinity())) | kSign;
      return key > infinity ? static_cast<Bits>(~Bits{0}) : key;
    }
    return key;
  }
};

}  // namespace tnp
