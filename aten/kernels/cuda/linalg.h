// What the operators of linear algebra share on the device, above solver.h. Their checks and shapes are the CPU's.
#pragma once

#include "aten/functions/shape.h"
#include "aten/kernels/cuda/solver.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::gpu {

// A contiguous (..., a, b) as (count, a, b): see Note [Stacks for LAPACK].
inline Tensor stack_of(const Tensor& t) {
  const DimVector sizes{native::stack_size(t), t.size(-2), t.size(-1)};
  return view_of(t, sizes, contiguous_strides(sizes), t.address());
}
// A contiguous (..., a) as (count, a).
inline Tensor rows_of(const Tensor& t) {
  const DimVector sizes{t.size(-1) > 0 ? t.numel() / t.size(-1) : 0, t.size(-1)};
  return view_of(t, sizes, contiguous_strides(sizes), t.address());
}

inline Tensor transposed(const Tensor& t) { return tnp::transpose(t, -2, -1); }
// Columns one after the other: what LAPACK sees as `t` itself.
inline Tensor columns_of(const Tensor& t, ScalarType dtype) { return native::dense_copy(transposed(t), dtype); }

// Waits for the device. Raises LinAlg unless all is well.
void check_info(const Tensor& info, const char* message);
// The same unless all elements are finite: such libraries may not come to an end with others.
void check_finite(const Tensor& t, const char* message);

}  // namespace tnp::gpu
