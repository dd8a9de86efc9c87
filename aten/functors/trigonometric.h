// Trigonometric functions and their inverses; angles in radians.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

template <class T>
struct Sin {
  TNP_HOST_DEVICE T operator()(T x) const { return math::sin(x); }
};

template <class T>
struct Cos {
  TNP_HOST_DEVICE T operator()(T x) const { return math::cos(x); }
};

template <class T>
struct Tan {
  TNP_HOST_DEVICE T operator()(T x) const { return math::tan(x); }
};

template <class T>
struct Asin {
  TNP_HOST_DEVICE T operator()(T x) const { return math::asin(x); }
};

template <class T>
struct Acos {
  TNP_HOST_DEVICE T operator()(T x) const { return math::acos(x); }
};

template <class T>
struct Atan {
  TNP_HOST_DEVICE T operator()(T x) const { return math::atan(x); }
};

template <class T>
struct Atan2 {
  TNP_HOST_DEVICE T operator()(T y, T x) const { return std::atan2(y, x); }
};

template <class T>
struct Hypot {
  TNP_HOST_DEVICE T operator()(T a, T b) const { return math::hypot(a, b); }
};

template <class T>
struct Deg2Rad {
  TNP_HOST_DEVICE T operator()(T x) const { return x * T(3.14159265358979323846 / 180); }
};

template <class T>
struct Rad2Deg {
  TNP_HOST_DEVICE T operator()(T x) const { return x * T(180 / 3.14159265358979323846); }
};

}  // namespace tnp
