// Selection by a condition.
#pragma once

#include <bit>

#include "aten/functors/functor.h"

namespace tnp {

template <class T>
struct Select {
  // Uses a bitmask: a compiler may turn `condition ? a : b` into a branch, which a random condition
  // mispredicts half of the time.
  TNP_HOST_DEVICE T operator()(bool condition, T a, T b) const {
    if constexpr (is_complex_v<T>) {
      using R = real_t<T>;
      return T(Select<R>{}(condition, a.re, b.re), Select<R>{}(condition, a.im, b.im));
    } else {
      using Bits = std::conditional_t<
          sizeof(T) == 1, uint8_t,
          std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
      const Bits mask = static_cast<Bits>(-static_cast<Bits>(condition));
      const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
      return std::bit_cast<T>(static_cast<Bits>(y ^ ((x ^ y) & mask)));
    }
  }
};

}  // namespace tnp
