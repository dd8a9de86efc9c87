// Log-sum-exp in one pass: the maximum of some numbers, and the sum of their exponentials relative
// to it.
#pragma once

#include <cmath>
#include <limits>

#include "aten/core/macros.h"
#include "aten/kernels/cuda/element.h"

namespace tnp::gpu {

template <class A>
struct ExponentialSum {
  A most, sum;  // a NaN among the numbers makes `sum` NaN

  TNP_HOST_DEVICE static ExponentialSum none() { return {-std::numeric_limits<A>::infinity(), A(0)}; }

  // Computes it for the first `count` of n numbers x(j).
  template <int n, class F>
  TNP_HOST_DEVICE TNP_INLINE static ExponentialSum of(int count, F x) {
    ExponentialSum s = none();
    TNP_UNROLL
    for (int j = 0; j < n; ++j)
      if (j < count) s.most = x(j) > s.most ? x(j) : s.most;
    const A base = s.base();
    TNP_UNROLL
    for (int j = 0; j < n; ++j)
      if (j < count) s.sum += std::exp(x(j) - base);
    return s;
  }

  TNP_HOST_DEVICE TNP_INLINE static ExponentialSum combine(const ExponentialSum& a, const ExponentialSum& b) {
    ExponentialSum s{a.most > b.most ? a.most : b.most, A(0)};
    const A base = s.base();
    s.sum = a.scaled(base) + b.scaled(base);
    return s;
  }

  TNP_HOST_DEVICE A logarithm() const { return most + std::log(sum); }

 private:
  // The number to subtract before exp(): 0 if all numbers are -infinity, so that the sum is 0 and
  // not NaN.
  TNP_HOST_DEVICE A base() const { return most == -std::numeric_limits<A>::infinity() ? A(0) : most; }
  TNP_HOST_DEVICE A scaled(A base) const { return most == base ? sum : sum * std::exp(most - base); }
};

}  // namespace tnp::gpu
