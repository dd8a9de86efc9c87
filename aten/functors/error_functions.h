// The complementary, inverse and scaled error functions; the normal distribution.
#pragma once

#include "aten/functors/real_math.h"
#include "aten/special/error_functions.h"

namespace tnp {

template <class T>
struct Erfc {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (sizeof(T) == 8) {
      if (x > 0.75) return special::erfc_tail(x);
    }
    return std::erfc(x);
  }
};

template <class T>
struct Erfinv {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::erfinv(x)); }
};

template <class T>
struct Erfcx {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::erfcx(x)); }
};

template <class T>
struct Ndtr {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::ndtr(x)); }
};

template <class T>
struct LogNdtr {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::log_ndtr(x)); }
};

template <class T>
struct Ndtri {
  TNP_HOST_DEVICE T operator()(T p) const { return static_cast<T>(special::ndtri(p)); }
};

}  // namespace tnp
