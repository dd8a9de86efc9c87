// A matrix of a product, and how BLAS is told where it lies.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tnp::native {

inline constexpr int64_t kWorkOfOne = 1 << 19;  // multiplications; of fewer, a second thread does not pay

// Strides in elements.
template <class T>
struct Matrix {
  const T* data;
  int64_t rows, cols, row_stride, col_stride;
};

// Whether BLAS can read the matrix where it lies: rows or columns dense, and no overlap.
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
