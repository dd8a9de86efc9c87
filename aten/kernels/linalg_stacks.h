// Stacks of matrices with broadcasting.
#pragma once

#include "aten/iterator/dense.h"

namespace tnp::native {

// A dense copy of `t` in which the axes before the last `axes` are broadcast to `stack`.
inline Tensor dense_stack(const Tensor& t, IntList stack, int64_t axes, ScalarType dtype) {
  DimVector sizes(stack), strides;
  const int64_t own = t.dim() - axes;
  for (int64_t d = 0; d < static_cast<int64_t>(stack.size()); ++d) {
    const int64_t at = d - (static_cast<int64_t>(stack.size()) - own);
    strides.push_back(at < 0 || t.size(at) == 1 ? 0 : t.stride(at));
  }
  for (int64_t d = t.dim() - axes; d < t.dim(); ++d) sizes.push_back(t.size(d)), strides.push_back(t.stride(d));
  return dense_copy(view_of(t, sizes, strides, t.address()), dtype);
}

// The sizes of the axes before the last two.
inline IntList stack_sizes(const Tensor& t) { return IntList(t.sizes().first(static_cast<size_t>(t.dim() - 2))); }

}  // namespace tnp::native
