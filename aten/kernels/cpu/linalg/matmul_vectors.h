// Products with vectors on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/matmul_errors.h"

namespace tnp::native {

// Note [Products with vectors] Products with vectors read each element of the matrix once, so
// memory bandwidth limits them, and one thread does not reach that limit. BLAS uses one thread for
// them. So the rows of the result are shared among threads here.
constexpr int64_t kDotPiece = 1 << 16;  // elements

// The sum of x_i y_i. Adds up the sums of pieces of a fixed length, so that the result does not
// depend on the number of threads.
template <class T>
T dot(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy) {
  const blas::Library& lib = blas::library_for<T>(blas::Work::VectorProduct, n);
  // For a negative step, BLAS expects the lowest address of a vector.
  auto piece = [&](int64_t begin, int64_t end) {
    return blas::dot(lib, end - begin, incx < 0 ? x + (end - 1) * incx : x + begin * incx, incx,
                     incy < 0 ? y + (end - 1) * incy : y + begin * incy, incy);
  };
  if (n <= 2 * kDotPiece) return piece(0, n);
  const int64_t pieces = (n + kDotPiece - 1) / kDotPiece;
  std::vector<T> sums(static_cast<size_t>(pieces));
  parallel_for(0, pieces, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      sums[static_cast<size_t>(i)] = piece(i * kDotPiece, std::min((i + 1) * kDotPiece, n));
  });
  for (size_t width = 1; width < sums.size(); width *= 2) {
    for (size_t i = 0; i + width < sums.size(); i += 2 * width) sums[i] += sums[i + width];
  }
  return sums[0];
}

// y = A^T x, split along the sums. Each thread reads contiguous rows of A and writes its own
// partial results, which are added at the end. The split depends on the sizes only, so the bits of
// y do too.
template <class T>
void gemv_by_depth(const blas::Library& lib, int64_t pieces, int64_t m, int64_t n, const T* a, int64_t lda, const T* x,
                   int64_t incx, T* y) {
  const int64_t rows = (m + pieces - 1) / pieces;
  std::vector<T> sums(static_cast<size_t>(pieces * n));
  parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t begin = std::min(p * rows, m), end = std::min(begin + rows, m);
      if (begin < end)
        blas::gemv(lib, true, end - begin, n, a + begin * lda, lda, x + begin * incx, incx, &sums[p * n], 1);
    }
  });
  std::copy_n(sums.data(), n, y);
  for (int64_t p = 1; p < pieces; ++p) {
    for (int64_t j = 0; j < n; ++j) y[j] += sums[static_cast<size_t>(p * n + j)];
  }
}

// y = op(A) x like blas::gemv, y dense.
template <class T>
void gemv(bool ta, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t incx, T* y,
          FiniteResults* finite) {
  const blas::Library& lib = blas::library_for<T>(blas::Work::VectorProduct, m * n);
  const int64_t results = ta ? n : m, depth = std::max<int64_t>(ta ? m : n, 1);
  if (constexpr int64_t kPiece = 1 << 16, kMost = 16;
      ta && m * n >= (lib.has_threads() ? 16 : 2) * kPiece && m >= 2 * kMost) {
    gemv_by_depth(lib, std::min(m * n / kPiece, std::min(kMost, m / 16)), m, n, a, lda, x, incx, y);
    if (finite) finite->look_at(y, n);
    return;
  }
  // Works in fixed blocks, so that a row's sum does not depend on where a thread begins.
  constexpr int64_t kBlock = 64;
  const int64_t blocks = (results + kBlock - 1) / kBlock;
  // The least number of elements for another thread. It is smaller if BLAS adds no threads of its
  // own.
  const int64_t worthwhile = (lib.has_threads() ? 8 : 3) * kParallelWork;
  // Long pieces get closer to the memory bandwidth, so there are only as many pieces as threads.
  const int64_t share = lib.has_threads() ? 0 : blocks / get_num_threads();
  const int64_t grain = std::max<int64_t>({worthwhile / depth / kBlock, share, 1});
  parallel_for(0, blocks, grain, [&](int64_t first, int64_t last) {
    const int64_t begin = first * kBlock, end = std::min(last * kBlock, results);
    if (ta)
      blas::gemv(lib, true, m, end - begin, a + begin, lda, x, incx, y + begin, 1);
    else
      blas::gemv(lib, false, end - begin, n, a + begin * lda, lda, x, incx, y + begin, 1);
    if (finite) finite->look_at(y + begin, end - begin);
  });
}

}  // namespace tnp::native
