// Logarithm of the gamma function, its derivatives, and the Hurwitz zeta function.
#pragma once

#include "aten/functors/real_math.h"
#include "aten/special/gamma.h"

namespace tnp {

template <class T>
struct LogGamma {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::lgamma(static_cast<double>(x))); }
};

template <class T>
struct Digamma {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::digamma(static_cast<double>(x))); }
};

template <class T>
struct Polygamma {
  TNP_HOST_DEVICE T operator()(T x, T n) const { return static_cast<T>(special::polygamma(x, n)); }
};

template <class T>
struct Zeta {
  TNP_HOST_DEVICE T operator()(T s, T q) const { return static_cast<T>(special::zeta(s, q)); }
};

}  // namespace tnp
