// Sums of contiguous floats with the accumulators in registers throughout.
//
// Note [Sums in registers] Compilers vectorise loops over arrays of accumulators, but such arrays
// are stored to memory at the start and end of each block. Loading halves of a just stored register
// stalls, and a line of 2,000 float32 took a third longer. The order is that of
// Reducer::dense_block, Note [Order of summation]: 16 lanes, or four times 16 lanes for 128 numbers
// or more.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "aten/core/macros.h"
#include "aten/core/threads/capability.h"
#include "aten/core/threads/register_bytes.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class T>
class DenseSum {
  static constexpr int kLanes = 16, kWidth = kRegisterBytes / static_cast<int>(sizeof(T)), kRegisters = kLanes / kWidth;
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  typedef T Anywhere __attribute__((vector_size(kRegisterBytes), aligned(sizeof(T)), may_alias));

  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef Bits BitRegister __attribute__((vector_size(kRegisterBytes)));
  template <int... I>
  static TNP_INLINE BitRegister places(std::integer_sequence<int, I...>) {
    return BitRegister{I...};
  }

  struct Lanes {
    Register v[kRegisters];
    TNP_INLINE explicit Lanes(const T* x) {
#pragma GCC unroll 8
      for (int r = 0; r < kRegisters; ++r) v[r] = *reinterpret_cast<const Anywhere*>(x + r * kWidth);
    }
    TNP_INLINE void add(const Lanes& b) {
#pragma GCC unroll 8
      for (int r = 0; r < kRegisters; ++r) v[r] += b.v[r];
    }
    // Replaces the first `count` lanes by -0, which changes no sum.
    TNP_INLINE void forget_first(int count) {
#pragma GCC unroll 8
      for (int r = 0; r < kRegisters; ++r) {
        const BitRegister kept = places(std::make_integer_sequence<int, kWidth>{}) >= Bits(count - r * kWidth);
        v[r] = kept ? v[r] : -Register{};
      }
    }
    // Adds the upper half to the lower half, repeatedly.
    TNP_INLINE T total() const {
      Register half[kRegisters];
#pragma GCC unroll 8
      for (int r = 0; r < kRegisters; ++r) half[r] = v[r];
#pragma GCC unroll 4
      for (int count = kRegisters / 2; count > 0; count /= 2) {
#pragma GCC unroll 4
        for (int r = 0; r < count; ++r) half[r] += half[r + count];
      }
      return fold<kWidth>(half[0]);
    }
  };

  template <int first, int... I, class V>
  static TNP_INLINE auto part(V lanes, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(lanes, lanes, (first + I)...);
  }
  template <int count, class V>
  static TNP_INLINE T fold(V lanes) {
    if constexpr (count == 2) {
      return lanes[0] + lanes[1];
    } else if constexpr (count * sizeof(T) == 16) {
      // The smallest register. With only two halves in it, GCC would also add the unused lanes,
      // which might overflow.
      static_assert(count == 4);
      const V lower = __builtin_shufflevector(lanes, V{}, 0, 1, 4, 5),
              upper = __builtin_shufflevector(lanes, V{}, 2, 3, 4, 5);
      return fold<2>(lower + upper);
    } else {
      using Half = std::make_integer_sequence<int, count / 2>;
      return fold<count / 2>(part<0>(lanes, Half{}) + part<count / 2>(lanes, Half{}));
    }
  }

 public:
  // The sum of no elements is -0.
  static T run(const T* x, int64_t n) {
    if (n < kLanes) {
      T total = -T(0);
      for (int64_t i = 0; i < n; ++i) total += x[i];
      return total;
    }
    Lanes lanes(x);
    int64_t i = kLanes;
    if (n >= 8 * kLanes) {
      Lanes second(x + kLanes), third(x + 2 * kLanes), fourth(x + 3 * kLanes);
      for (i = 4 * kLanes; i + 4 * kLanes <= n; i += 4 * kLanes) {
        lanes.add(Lanes(x + i)), second.add(Lanes(x + i + kLanes));
        third.add(Lanes(x + i + 2 * kLanes)), fourth.add(Lanes(x + i + 3 * kLanes));
      }
      lanes.add(second), third.add(fourth);
      lanes.add(third);
    }
    for (; i + kLanes <= n; i += kLanes) lanes.add(Lanes(x + i));
    if (i < n) {
      // The remainder has fewer elements than there are lanes. It is loaded as the end of a full
      // register, and the lanes that were already added are cleared. A scalar loop over the
      // remainder would take longer than a hundred vectorised elements.
      Lanes last(x + n - kLanes);
      last.forget_first(kLanes - static_cast<int>(n - i));
      lanes.add(last);
    }
    return lanes.total();
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
