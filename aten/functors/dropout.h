// Dropout's step from an element to what becomes of it.
#pragma once

#include "aten/functors/functor.h"

namespace tnp {

// A product in both cases, as PyTorch's: infinities and NaNs that are dropped are NaNs.
template <class T>
struct KeptScaled {
  TNP_HOST_DEVICE T operator()(bool kept, T x, T scale) const { return x * (kept ? scale : T(0)); }
};

}  // namespace tnp
