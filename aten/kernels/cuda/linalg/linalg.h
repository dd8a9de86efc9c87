// Helpers that the linear algebra operators share on the device, on top of solver.h.
#pragma once

#include <utility>

#include "aten/kernels/cuda/linalg/solver.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::gpu {

// Views a contiguous (..., a, b) as (count, a, b): see Note [Stacks for LAPACK].
inline Tensor stack_of(const Tensor& t) {
  const DimVector sizes{native::stack_size(t), t.size(-2), t.size(-1)};
  return view_of(t, sizes, contiguous_strides(sizes), t.address());
}
// Views a contiguous (..., a) as (count, a).
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
// Views `count` rows of each matrix, starting at `first`.
inline Tensor some_rows(const Tensor& t, int64_t first, int64_t count) {
  DimVector sizes(t.sizes());
  sizes[sizes.size() - 2] = count;
  return view_of(t, sizes, t.strides(), t.address() + (count > 0 ? first * t.stride(-2) * t.itemsize() : 0));
}
// A column-major copy of `t`, in which LAPACK sees the matrices of `t`.
inline Tensor columns_of(const Tensor& t, ScalarType dtype) { return native::dense_copy(transposed(t), dtype); }

// Zeroes the elements below (`upper`) or above the diagonals of row-major matrices.
void keep_triangle(const Tensor& t, bool upper);

// Writes the Cholesky factor of `input` to the row-major `out`, with zeros in the other triangle.
// Returns LAPACK's info, which also reports NaNs.
Tensor cholesky(const Tensor& input, bool upper, const Tensor& out);

// Waits for the device. Raises if any info is not 0.
void check_info(const Tensor& info, const char* message, ErrorKind kind = ErrorKind::LinAlg);
// Waits for the device. Raises unless all elements of a row-major tensor are finite: with
// infinities or NaNs, library routines may not terminate.
void check_finite(const Tensor& t, const char* message, ErrorKind kind = ErrorKind::LinAlg);

// Marks the matrices of a stack (..., a, b) that contain infinities: the result is int32 (count +
// 1), nonzero for those matrices. The last number belongs to no matrix. Returns an undefined tensor
// if there are none. Waits for the device. Raises LinAlg if there is a NaN.
Tensor find_infinite(const Tensor& t, const char* message);
// Fills the matrices, or rows, of a contiguous stack for which `chosen` is nonzero.
void fill_chosen(const Tensor& stack, const Tensor& chosen, double value);

}  // namespace tnp::gpu
