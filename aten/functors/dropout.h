// The elementwise functor of dropout.
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

// Dropped elements are multiplied by 0, as in PyTorch: dropped infinities and NaNs give NaN.
template <class T>
struct KeptScaled {
  TNP_HOST_DEVICE T operator()(bool kept, T x, T scale) const { return x * (kept ? scale : T(0)); }
};

}  // namespace tnp
