// Functions of statistics and neural networks.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

// 1 / (1 + exp(-x)). For negative x as exp(x) / (1 + exp(x)): exp stays below 1 and the small result keeps its digits.
template <class T>
struct Sigmoid {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) {
      if (x.re >= 0) return T(1) / (T(1) + math::exp(-x));
      T e = math::exp(x);
      return e / (T(1) + e);
    } else {
      T e = std::exp(-std::abs(x));
      return (x >= 0 ? T(1) : x < 0 ? e : x) / (1 + e);  // NaN stays
    }
  }
};

template <class T>
struct Relu {
  TNP_HOST_DEVICE T operator()(T x) const { return x > 0 || math::isnan(x) ? x : T(0); }
};

template <class T>
struct Erf {
  TNP_HOST_DEVICE T operator()(T x) const { return std::erf(x); }
};

}  // namespace tnp
