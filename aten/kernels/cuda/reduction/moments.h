// Mean and sum of squared deviations. Each piece is computed in two passes, and pieces are merged
// as in T. F. Chan, G. H. Golub and R. J. LeVeque, The American Statistician 37 (1983) 242.
#pragma once

#include <cmath>

#include "aten/core/macros.h"
#include "aten/kernels/cuda/element.h"

namespace tnp::gpu {

template <class A>
struct Moments {
  A count, mean, squares;

  TNP_HOST_DEVICE static Moments none() { return {A(0), A(0), A(0)}; }

  // The moments of the first `count` (at least 1) of n numbers x(j).
  template <int n, class F>
  TNP_HOST_DEVICE TNP_INLINE static Moments of(int count, F x) {
    A sum(0), squares(0);
    TNP_UNROLL
    for (int j = 0; j < n; ++j)
      if (j < count) sum += x(j);
    const A mean = sum / A(count);
    TNP_UNROLL
    for (int j = 0; j < n; ++j)
      if (j < count) squares += (x(j) - mean) * (x(j) - mean);
    return {A(count), mean, squares};
  }

  TNP_HOST_DEVICE TNP_INLINE static Moments combine(const Moments& a, const Moments& b) {
    const A count = a.count + b.count;
    if (count == A(0)) return a;
    const A share = b.count / count, between = b.mean - a.mean;
    return {count, a.mean + between * share, a.squares + b.squares + between * between * a.count * share};
  }

  TNP_HOST_DEVICE A variance() const { return squares / count; }
};

// Two sums over the same elements.
template <class A>
struct TwoSums {
  A first, second;
  TNP_HOST_DEVICE static TwoSums none() { return {A(0), A(0)}; }
  // The sums of the first `count` of n pairs x(j).
  template <int n, class F>
  TNP_HOST_DEVICE TNP_INLINE static TwoSums of(int count, F x) {
    TwoSums sums = none();
    TNP_UNROLL
    for (int j = 0; j < n; ++j)
      if (j < count) sums = combine(sums, x(j));
    return sums;
  }
  TNP_HOST_DEVICE TNP_INLINE static TwoSums combine(const TwoSums& a, const TwoSums& b) {
    return {a.first + b.first, a.second + b.second};
  }
};

}  // namespace tnp::gpu
