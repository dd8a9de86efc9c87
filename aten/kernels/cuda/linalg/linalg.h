// What the operators of linear algebra share on the device, above solver.h.
#pragma once

#include <utility>

#include "aten/kernels/cuda/linalg/solver.h"
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

inline Tensor transposed(const Tensor& t) {
  DimVector sizes(t.sizes()), strides(t.strides());
  const size_t n = sizes.size();
  std::swap(sizes[n - 2], sizes[n - 1]), std::swap(strides[n - 2], strides[n - 1]);
  return view_of(t, sizes, strides, t.address());
}
// Rows of matrices: `count` from `first` on.
inline Tensor some_rows(const Tensor& t, int64_t first, int64_t count) {
  DimVector sizes(t.sizes());
  sizes[sizes.size() - 2] = count;
  return view_of(t, sizes, t.strides(), t.address() + (count > 0 ? first * t.stride(-2) * t.itemsize() : 0));
}
// Columns one after the other: what LAPACK sees as `t` itself.
inline Tensor columns_of(const Tensor& t, ScalarType dtype) { return native::dense_copy(transposed(t), dtype); }

// Writes zeros below (`upper`) or above the diagonals of row-major matrices.
void keep_triangle(const Tensor& t, bool upper);

// The Cholesky factor of `input` in `out`, row-major, zeros in the other triangle. Returns LAPACK's info, which tells
// of what is no number, too.
Tensor cholesky(const Tensor& input, bool upper, const Tensor& out);

// Waits for the device. Raises unless all is well.
void check_info(const Tensor& info, const char* message, ErrorKind kind = ErrorKind::LinAlg);
// The same unless all elements of a row-major tensor are finite: such libraries may not come to an end with others.
void check_finite(const Tensor& t, const char* message, ErrorKind kind = ErrorKind::LinAlg);

// Which matrices of a stack (..., a, b) hold infinities, and none else: int32 (count + 1), not 0 for those; the last
// number is of no matrix. Undefined if none does. Waits for the device. Raises LinAlg if there is NaN.
Tensor find_infinite(const Tensor& t, const char* message);
// Fills the matrices, or rows, of a contiguous stack that `chosen` names.
void fill_chosen(const Tensor& stack, const Tensor& chosen, double value);

}  // namespace tnp::gpu
