// Comparisons, maximum and minimum. Complex numbers are ordered by the real part, then by the imaginary one.
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

// A NaN in either operand is the result: the first one's, if both are. Of equal zeros the second one, as x86's maxps.
template <class T>
struct Maximum {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(b, a) || math::isnan(a) ? a : b; }
};

template <class T>
struct Minimum {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(a, b) || math::isnan(a) ? a : b; }
};

// A NaN is passed over where the other operand is none.
template <class T>
struct Fmax {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(b, a) || math::isnan(b) ? a : b; }
};

template <class T>
struct Fmin {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::less(a, b) || math::isnan(b) ? a : b; }
};

// min(max(x, low), high): high wins where the bounds cross, and every NaN reaches the result.
template <class T>
struct Clip {
  TNP_HOST_DEVICE T operator()(T x, T low, T high) const { return Minimum<T>()(Maximum<T>()(x, low), high); }
};

}  // namespace tnp
