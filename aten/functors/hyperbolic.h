// Hyperbolic functions and their inverses.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct Sinh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::sinh(x); }
};

template <class T>
struct Cosh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::cosh(x); }
};

template <class T>
struct Tanh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::tanh(x); }
};

template <class T>
struct Asinh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::asinh(x); }
};

template <class T>
struct Acosh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::acosh(x); }
};

template <class T>
struct Atanh {
  TNP_HOST_DEVICE T operator()(T x) const { return math::atanh(x); }
  static bool is_pole(T x) { return x == T(1) || x == T(-1); }
};

}  // namespace tnp
