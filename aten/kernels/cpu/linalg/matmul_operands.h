// A matrix operand of a product, and its description for BLAS.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace tnp::native
