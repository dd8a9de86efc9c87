// A matrix operand of a product, and its description for BLAS.
#pragma once

#include <algorithm>
#include <cstdint>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/tensor.h"

namespace tnp::native {

// The number of multiplications below which a second thread does not pay.
inline constexpr int64_t kWorkOfOne = 1 << 19;

// Strides are in elements.
template <class T>
struct Matrix {
  const T* data;
  int64_t rows, cols, row_stride, col_stride;
};

// Whether BLAS can read the matrix without a copy: rows or columns are dense and do not overlap.
inline bool readable(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
  bool by_rows = (col_stride == 1 || cols == 1) && (rows == 1 || row_stride >= cols);
  bool by_cols = (row_stride == 1 || rows == 1) && (cols == 1 || col_stride >= rows);
  return by_rows || by_cols;
}

template <class T>
bool transposed(const Matrix<T>& m, int64_t& ld) {
  if ((m.col_stride == 1 || m.cols == 1) && (m.rows == 1 || m.row_stride >= m.cols)) {
    ld = m.rows == 1 ? std::max<int64_t>(m.cols, 1) : m.row_stride;
    return false;
  }
  ld = m.cols == 1 ? std::max<int64_t>(m.rows, 1) : m.col_stride;
  return true;
}

// An operand of the product as a stack of matrices. Strides are in elements.
struct Stack {
  Tensor tensor;
  int64_t rows, cols, row_stride, col_stride;
  DimVector batch_strides;  // strides along the axes of the broadcast batch; 0 where this operand is repeated
};

inline void broadcast_batch(Stack& s, IntList batch) {
  s.batch_strides.resize(batch.size(), 0);
  if (batch.empty()) return;
  int64_t own = s.tensor.dim() - 2;
  for (int64_t d = 0; d < own; ++d) {
    size_t to = batch.size() - static_cast<size_t>(own - d);
    s.batch_strides[to] = s.tensor.size(d) == 1 ? 0 : s.tensor.stride(d);
  }
}

}  // namespace tnp::native
