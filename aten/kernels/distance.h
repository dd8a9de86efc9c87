// Distances of two vectors in the p-norm, for host and device: the terms, how they are combined,
// and the derivatives.
#pragma once

#include <cmath>

#include "aten/core/macros.h"

namespace tnp::distance {

// The norms for p = 0, 1, 2, any other finite p, and infinity, in this order.
enum class Norm : unsigned char { Count, Sum, Euclidean, Power, Largest };

inline Norm norm_of(double p) {
  if (p == 0) return Norm::Count;
  if (p == 1) return Norm::Sum;
  if (p == 2) return Norm::Euclidean;
  return std::isinf(p) ? Norm::Largest : Norm::Power;
}

template <Norm kNorm, class T>
struct Distance {
  T p;

  TNP_HOST_DEVICE static T size(T x) { return x < 0 ? -x : x; }
  TNP_HOST_DEVICE static T sign(T x) { return static_cast<T>((x > 0) - (x < 0)); }

  TNP_HOST_DEVICE T term(T d) const {
    if constexpr (kNorm == Norm::Count)
      return static_cast<T>(d != 0);
    else if constexpr (kNorm == Norm::Euclidean)
      return d * d;
    else if constexpr (kNorm == Norm::Power)
      return ::pow(size(d), p);
    else
      return size(d);
  }
  TNP_HOST_DEVICE static T combine(T a, T b) {
    if constexpr (kNorm == Norm::Largest)
      return a > b || a != a ? a : b;  // propagates NaN
    else
      return a + b;
  }
  TNP_HOST_DEVICE T finish(T total) const {
    if constexpr (kNorm == Norm::Euclidean)
      return ::sqrt(total);
    else if constexpr (kNorm == Norm::Power)
      return ::pow(total, 1 / p);
    else
      return total;
  }
  // The gradient of a distance with respect to one difference d, times `grad`. The gradient is 0 at
  // a distance of 0.
  TNP_HOST_DEVICE T backward(T d, T grad, T distance) const {
    if constexpr (kNorm == Norm::Count) {
      return T(0);
    } else if constexpr (kNorm == Norm::Sum) {
      return grad * sign(d);
    } else if constexpr (kNorm == Norm::Euclidean) {
      return distance == 0 ? T(0) : grad * d / distance;
    } else if constexpr (kNorm == Norm::Power) {
      if (distance == 0 || d == 0) return T(0);
      return sign(d) * ::pow(size(d), p - 1) * grad / ::pow(distance, p - 1);
    } else {
      return size(d) == distance ? grad * sign(d) : T(0);
    }
  }
};

// Calls visitor(Distance<...>{p}) for the norm p.
template <class T, class F>
void visit_distance(double p, F&& visitor) {
  const T order = static_cast<T>(p);
  switch (norm_of(p)) {
    case Norm::Count:
      return visitor(Distance<Norm::Count, T>{order});
    case Norm::Sum:
      return visitor(Distance<Norm::Sum, T>{order});
    case Norm::Euclidean:
      return visitor(Distance<Norm::Euclidean, T>{order});
    case Norm::Power:
      return visitor(Distance<Norm::Power, T>{order});
    case Norm::Largest:
      return visitor(Distance<Norm::Largest, T>{order});
  }
}

}  // namespace tnp::distance
