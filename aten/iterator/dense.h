// Conversion of operands to the dtype and memory layout that external libraries (BLAS, LAPACK, FFT)
// require.
#pragma once

#include "aten/core/tensor.h"
#include "aten/iterator/copy.h"

namespace tnp::native {

// A new row-major copy on `device`.
inline Tensor dense_copy(const Tensor& t, ScalarType dtype, Device device) {
  Tensor dense = empty_tensor(t.sizes(), dtype, device);
  if (t.numel() > 0) copy_into(dense, t);
  return dense;
}
inline Tensor dense_copy(const Tensor& t, ScalarType dtype) { return dense_copy(t, dtype, t.device()); }

// `t` in `dtype`, row-major; `t` itself if it already is.
inline Tensor to_dense(const Tensor& t, ScalarType dtype) {
  return t.dtype() == dtype && t.is_contiguous() ? t : dense_copy(t, dtype);
}

// `t` in `dtype`, aligned, with any strides; `t` itself if it already is.
inline Tensor to_dtype(const Tensor& t, ScalarType dtype) {
  return t.dtype() == dtype && !t.is_unaligned() ? t : to_dense(t, dtype);
}

// A new copy whose last two axes are column-major, as LAPACK requires.
inline Tensor column_major_copy(const Tensor& t, ScalarType dtype) {
  DimVector strides = contiguous_strides(t.sizes());
  size_t n = strides.size();
  strides[n - 2] = 1;
  strides[n - 1] = std::max<int64_t>(t.size(-2), 1);
  Tensor copy = empty_strided_tensor(t.sizes(), strides, dtype, t.device());
  if (t.numel() > 0) copy_into(copy, t);
  return copy;
}

}  // namespace tnp::native
