// Choice by a condition.
#pragma once

#include "aten/kernels/functors/functor.h"

namespace tnp {

template <class T>
struct Select {
  TNP_HOST_DEVICE T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};

}  // namespace tnp
