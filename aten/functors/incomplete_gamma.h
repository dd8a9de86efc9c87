// The regularised incomplete gamma functions.
#pragma once

#include "aten/functors/real_math.h"
#include "aten/special/incomplete_gamma.h"

namespace tnp {

template <class T>
struct LowerGamma {
  TNP_HOST_DEVICE T operator()(T a, T x) const { return static_cast<T>(special::incomplete_gamma(a, x, false)); }
};

template <class T>
struct UpperGamma {
  TNP_HOST_DEVICE T operator()(T a, T x) const { return static_cast<T>(special::incomplete_gamma(a, x, true)); }
};

}  // namespace tnp
