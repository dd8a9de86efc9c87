// Products of a matrix with its own transpose on the CPU: computes one triangle and mirrors it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/matmul_errors.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"

namespace tnp::native {

// Whether B is the same memory as A, transposed (x @ x.T, x.T @ x).
template <class T>
bool is_symmetric_product(const Matrix<T>& a, const Matrix<T>& b) {
  constexpr int64_t kFewRows = 2;
  return a.data == b.data && a.row_stride == b.col_stride && a.col_stride == b.row_stride && a.rows == b.cols &&
         a.rows >= kFewRows;
}

// Copies rows [begin, end) of the upper triangle of C (n, n) to the columns below the diagonal.
template <class T>
void mirror_rows(T* c, int64_t n, int64_t begin, int64_t end) {
  constexpr int64_t kSide = 16;  // side of a block, whose rows read and written both stay in L1
  for (int64_t i0 = begin; i0 < end; i0 += kSide) {
    const int64_t i1 = std::min(i0 + kSide, end);
    for (int64_t j0 = i0; j0 < n; j0 += kSide) {
      const int64_t j1 = std::min(j0 + kSide, n);
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < std::min(i1, j); ++i) c[j * n + i] = c[i * n + j];
      }
    }
  }
}

template <class T>
void mirror(T* c, int64_t n) {
  constexpr int64_t kGrain = 16;
  parallel_for(0, (n + kGrain - 1) / kGrain, std::max<int64_t>(1, 2 * kParallelWork / (kGrain * n)),
               [&](int64_t first, int64_t last) { mirror_rows(c, n, first * kGrain, std::min(last * kGrain, n)); });
}

// Computes the upper triangle with a library without threads: square tiles on the diagonal, and the
// two halves of each tile above it. Each half takes as long as a diagonal tile. The tiles depend on
// the sizes only, so the bits of the result do too.
template <class T>
void multiply_triangle(const blas::Library& lib, const Matrix<T>& a, T* c) {
  constexpr int64_t kLargeWork = 1 << 27;
  int64_t lda = 0;
  const bool ta = transposed(a, lda);
  const int64_t n = a.rows, work = n * n * a.cols;
  const int64_t parts = work <= kWorkOfOne ? 1 : work <= kLargeWork ? 2 : 4;
  const int64_t side = ((n + parts - 1) / parts + 15) / 16 * 16;
  auto rows_from = [&](int64_t row) { return a.data + row * a.row_stride; };
  // `parts` squares on the diagonal, and 2 halves for each of the parts * (parts - 1) / 2 squares
  // above it.
  parallel_for(0, parts * parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t task = first; task < last; ++task) {
      const int64_t row = std::min(task / parts, task % parts) * side,
                    col = std::max(task / parts, task % parts) * side;
      if (row >= n || col >= n) continue;
      const int64_t height = std::min(side, n - row), width = std::min(side, n - col);
      if (row == col) {
        blas::syrk(lib, ta, height, a.cols, rows_from(row), lda, c + row * n + row, n);
        continue;
      }
      // Computes the second half of the mirrored square.
      const bool lower = task / parts > task % parts;
      const int64_t half = (height / 2 + 15) / 16 * 16, begin = lower ? std::min(half, height) : 0;
      const int64_t end = lower ? height : std::min(half, height);
      if (begin < end)
        blas::gemm(lib, ta, !ta, end - begin, width, a.cols, rows_from(row + begin), lda, rows_from(col), lda,
                   c + (row + begin) * n + col, n);
    }
  });
}

// Whether halving the work outweighs the slower `syrk`. (For 128 rows `syrk` takes 0.84 of the
// time, for 8 rows and long sums two to four times as long.) With fewer rows, the whole square is
// computed and one triangle is still mirrored, so that the result is symmetric to the last bit.
inline bool pays_to_halve(int64_t rows) {
  constexpr int64_t kManyRows = 128;
  return rows >= kManyRows;
}

// C (rows, rows), dense, = A @ transpose of A, where pays_to_halve(rows). `finite` is null if
// floating-point errors are not watched.
template <class T>
void multiply_symmetric(const Matrix<T>& a, T* c, FiniteResults* finite) {
  const int64_t n = a.rows;
  const blas::Library& lib = blas::library_for<T>(blas::Work::Product, n * n * a.cols);
  if (lib.has_threads()) {
    int64_t lda = 0;
    const bool ta = transposed(a, lda);
    const LongWork long_work;
    const blas::OneThread one(lib, n * n * a.cols <= kWorkOfOne);
    blas::syrk(lib, ta, n, a.cols, a.data, lda, c, n);
  } else {
    multiply_triangle(lib, a, c);
  }
  mirror(c, n);
  if (finite) finite->look_at(c, n * n);
}

}  // namespace tnp::native
