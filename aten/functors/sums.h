// Sums and products. Requirements: docs/native_functions.md, "Functors of reductions".
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

namespace reduction_detail {

// Sums of integers wrap on overflow. Computed in unsigned arithmetic, where wrapping is defined.
template <class A>
TNP_HOST_DEVICE A wrapping_add(A a, A b) {
  if constexpr (std::is_same_v<A, int64_t>)
    return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class A>
TNP_HOST_DEVICE A wrapping_multiply(A a, A b) {
  if constexpr (std::is_same_v<A, int64_t>)
    return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

// The additive identity of floats is -0: it leaves -0 unchanged, whereas -0 + 0 is 0.
template <class A>
TNP_HOST_DEVICE A negative_zero() {
  if constexpr (is_complex_v<A>)
    return A(-real_t<A>(0), -real_t<A>(0));
  else
    return -A(0);
}

}  // namespace reduction_detail

template <class T>
struct Sum {
  using Acc = accumulate_t<T>;
  static constexpr bool adds = true;  // a plain sum of its elements: Note [Sums in registers]
  static constexpr const char* empty_error = nullptr;
  // An empty sum is 0, not -0: see finish().
  TNP_HOST_DEVICE static Acc identity() { return reduction_detail::negative_zero<Acc>(); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return static_cast<Acc>(x); }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return reduction_detail::wrapping_add(a, b); }
  TNP_HOST_DEVICE T finish(Acc a, int64_t count, double) const { return count == 0 ? T(0) : convert<T>(a); }
};

template <class T>
struct Prod {
  using Acc = accumulate_t<T>;
  static constexpr const char* empty_error = nullptr;
  TNP_HOST_DEVICE static Acc identity() { return Acc(1); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return static_cast<Acc>(x); }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return reduction_detail::wrapping_multiply(a, b); }
  TNP_HOST_DEVICE T finish(Acc a, int64_t, double) const { return convert<T>(a); }
};

}  // namespace tnp
