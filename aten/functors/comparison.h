// Comparisons, maximum and minimum. Complex numbers are ordered by the real part, then by the
// imaginary one.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct Equal {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return a == b; }
};

template <class T>
struct NotEqual {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return a != b; }
};

template <class T>
struct Less {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return math::less(a, b); }
};

template <class T>
struct LessEqual {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return math::less_equal(a, b); }
};

template <class T>
struct Greater {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return math::less(b, a); }
};

template <class T>
struct GreaterEqual {
  TNP_HOST_DEVICE bool operator()(T a, T b) const { return math::less_equal(b, a); }
};

// If an operand is NaN, the result is that operand (the first one if both are NaN). If both are
// zero, the result is the second, as in x86's maxps.
template <class T>
struct Maximum {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(b, a) || math::isnan(a) ? a : b; }
};

template <class T>
struct Minimum {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(a, b) || math::isnan(a) ? a : b; }
};

// If one operand is NaN, returns the other one.
template <class T>
struct Fmax {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(b, a) || math::isnan(b) ? a : b; }
};

template <class T>
struct Fmin {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(a, b) || math::isnan(b) ? a : b; }
};

// min(max(x, low), high). If low > high, the result is `high`. Every NaN propagates.
template <class T>
struct Clip {
  TNP_HOST_DEVICE T operator()(T x, T low, T high) const { return Minimum<T>()(Maximum<T>()(x, low), high); }
};

}  // namespace tnp
