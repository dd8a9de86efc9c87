// Means and variances. Requirements: docs/native_functions.md, "Functors of reductions".
#pragma once

#include "aten/functors/sums.h"

namespace tnp {

// The mean of an empty range is 0 / 0 = NaN.
template <class T>
struct Mean {
  using Acc = T;
  static constexpr bool adds = true;  // a plain sum of its elements: Note [Sums in registers]
  static constexpr const char* empty_error = nullptr;
  TNP_HOST_DEVICE static Acc identity() { return reduction_detail::negative_zero<Acc>(); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return x; }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return a + b; }
  TNP_HOST_DEVICE T finish(Acc a, int64_t count, double) const {
    auto n = static_cast<real_t<T>>(count);
    if constexpr (is_complex_v<T>)
      return T(a.re / n, a.im / n);
    else
      return a / n;
  }
};

// The sum of squared deviations from a mean, divided by max(count - parameter, 0). `parameter` is
// the `correction` argument of var.
template <class T>
struct SquaredDeviation {
  using Acc = real_t<T>;
  T mean;
  TNP_HOST_DEVICE static Acc identity() { return Acc(0); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const {
    T d = x - mean;
    if constexpr (is_complex_v<T>)
      return d.re * d.re + d.im * d.im;
    else
      return d * d;
  }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return a + b; }
  TNP_HOST_DEVICE Acc finish(Acc a, int64_t count, double correction) const {
    double divisor = static_cast<double>(count) - correction;
    return a / static_cast<Acc>(divisor > 0 ? divisor : 0);
  }
};

// Uses two passes, since the sum of squares minus the square of the sum would cancel.
template <class T>
struct Var : Mean<T> {
  using Next = SquaredDeviation<T>;
  TNP_HOST_DEVICE Next next(T sum, int64_t count) const { return Next{Mean<T>::finish(sum, count, 0)}; }
};

// The square root of the variance.
template <class T>
struct RootedDeviation : SquaredDeviation<T> {
  using Acc = typename SquaredDeviation<T>::Acc;
  TNP_HOST_DEVICE Acc finish(Acc a, int64_t count, double correction) const {
    return std::sqrt(SquaredDeviation<T>::finish(a, count, correction));
  }
};
template <class T>
struct Std : Mean<T> {
  using Next = RootedDeviation<T>;
  TNP_HOST_DEVICE Next next(T sum, int64_t count) const { return Next{{Mean<T>::finish(sum, count, 0)}}; }
};

}  // namespace tnp
