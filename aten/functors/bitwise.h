// Operations on the bits of integers; the logical operations on bools.
#pragma once

#include <bit>

#include "aten/functors/integer_math.h"

namespace tnp {

template <class T>
struct BitwiseAnd {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a & b); }
};

template <class T>
struct BitwiseOr {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a | b); }
};

template <class T>
struct BitwiseXor {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

template <class T>
struct Invert {
  TNP_HOST_DEVICE T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};

// Distances of the bit width or more shift out all bits. As in NumPy, so do negative distances.
template <class T>
struct LeftShift {
  TNP_HOST_DEVICE T operator()(T a, T distance) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(distance) < sizeof(T) * 8 ? static_cast<T>(math::wrapping_t<T>(a) << distance) : T(0);
  }
};

template <class T>
struct RightShift {
  TNP_HOST_DEVICE T operator()(T a, T distance) const {
    using U = std::make_unsigned_t<T>;
    if (static_cast<U>(distance) < sizeof(T) * 8) return static_cast<T>(a >> distance);
    if constexpr (std::is_signed_v<T>)
      return a < 0 ? T(-1) : T(0);
    else
      return 0;
  }
};

// The population count of |a|.
template <class T>
struct BitwiseCount {
  TNP_HOST_DEVICE uint8_t operator()(T a) const {
    auto bits = static_cast<std::make_unsigned_t<T>>(math::absolute(a));
#if defined(__CUDA_ARCH__)
    return static_cast<uint8_t>(__popcll(bits));
#else
    return static_cast<uint8_t>(std::popcount(bits));
#endif
  }
};

}  // namespace tnp
