// Aligned copies for kernels that cannot read unaligned tensors: see Note [Unaligned memory] in
// aten/core/tensor.h.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// A copy in new memory, with the axes in the same memory order.
TNP_API Tensor aligned_copy(const Tensor& t);
// `t` itself, which may be undefined, or a copy if it is unaligned.
inline Tensor aligned(const Tensor& t) { return t.defined() && TNP_UNLIKELY(t.is_unaligned()) ? aligned_copy(t) : t; }

}  // namespace tnp
