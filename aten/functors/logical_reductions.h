// Reductions of truth values. Requirements: docs/native_functions.md, "Functors of reductions".
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

namespace reduction_detail {

template <class T>
TNP_HOST_DEVICE bool truth(T x) {
  if constexpr (is_complex_v<T>)
    return x.re != 0 || x.im != 0;
  else
    return x != T(0);
}

// Whether some element of x[0..n) is true (if `wanted`) or false (if not). Returns early after a
// chunk of kPiece elements that has one. Integers need no comparison per element: the function
// tests whether the bitwise or of a chunk is nonzero, or whether its minimum is 0.
template <bool wanted, class T>
bool any_truth(const T* x, int64_t n) {  // T is a stored_t
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  constexpr bool by_bits = std::is_integral_v<T>;
  constexpr int64_t kPiece = 1024;
  for (int64_t start = 0; start < n; start += kPiece) {
    const int64_t end = n - start < kPiece ? n : start + kPiece;
    Bits hit = 0, least = static_cast<Bits>(-1);
    for (int64_t i = start; i < end; ++i) {
      if constexpr (!by_bits) {
        hit |= static_cast<Bits>((x[i] != T(0)) == wanted ? 1 : 0);
      } else if constexpr (wanted) {
        hit |= static_cast<Bits>(x[i]);
      } else {
        least = static_cast<Bits>(x[i]) < least ? static_cast<Bits>(x[i]) : least;
      }
    }
    if (hit || least == 0) return true;
  }
  return false;
}

// The number of nonzero bytes. Counts in 8-bit lanes, which are added to the total before one can
// overflow.
inline int64_t count_truths(const uint8_t* x, int64_t n) {
  constexpr int64_t kLanes = 64;
  int64_t total = 0, i = 0;
  while (n - i >= kLanes) {
    const int64_t end = i + (n - i < 255 * kLanes ? (n - i) / kLanes : 255) * kLanes;
    uint8_t counts[kLanes] = {};
    for (; i < end; i += kLanes)
      for (int64_t j = 0; j < kLanes; ++j) counts[j] = static_cast<uint8_t>(counts[j] + (x[i + j] != 0));
    for (const uint8_t count : counts) total += count;
  }
  for (; i < n; ++i) total += x[i] != 0;
  return total;
}

}  // namespace reduction_detail

template <class T>
struct Any {
  using Acc = bool;
  static constexpr const char* empty_error = nullptr;
  TNP_HOST_DEVICE static Acc identity() { return false; }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return reduction_detail::truth(x); }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return a | b; }
  TNP_HOST_DEVICE static bool done(Acc a) { return a; }
  Acc dense(const stored_t<T>* x, int64_t n, int64_t) const
    requires std::is_arithmetic_v<T>
  {
    return reduction_detail::any_truth<true>(x, n);
  }
  TNP_HOST_DEVICE bool finish(Acc a, int64_t, double) const { return a; }
};

template <class T>
struct All {
  using Acc = bool;
  static constexpr const char* empty_error = nullptr;
  TNP_HOST_DEVICE static Acc identity() { return true; }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return reduction_detail::truth(x); }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return a & b; }
  TNP_HOST_DEVICE static bool done(Acc a) { return !a; }
  Acc dense(const stored_t<T>* x, int64_t n, int64_t) const
    requires std::is_arithmetic_v<T>
  {
    return !reduction_detail::any_truth<false>(x, n);
  }
  TNP_HOST_DEVICE bool finish(Acc a, int64_t, double) const { return a; }
};

template <class T>
struct CountNonzero {
  using Acc = int64_t;
  static constexpr bool counts_truths = std::is_same_v<T, bool>;
  static constexpr const char* empty_error = nullptr;
  TNP_HOST_DEVICE static Acc identity() { return 0; }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return reduction_detail::truth(x); }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return a + b; }
  Acc dense(const stored_t<T>* x, int64_t n, int64_t) const
    requires std::is_same_v<T, bool>
  {
    return reduction_detail::count_truths(x, n);
  }
  TNP_HOST_DEVICE int64_t finish(Acc a, int64_t, double) const { return a; }
};

}  // namespace tnp
