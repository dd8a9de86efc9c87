// BLAS (CBLAS), one overloaded name per routine, row-major. Callers pass a library, or the wrappers
// choose the fastest one on this processor.
#pragma once

#include <cstdint>

#include "aten/kernels/blas_library.h"

namespace tnp::blas {

// Limits the library's matrix products to the calling thread during its lifetime, if `wanted`.
// oneMKL still uses several threads for products of a matrix and a vector.
class OneThread {
 public:
  OneThread(const Library& lib, bool wanted)
      : set_(wanted ? lib.set_threads_here : nullptr), before_(set_ ? set_(1) : 0) {}
  ~OneThread() {
    if (set_) set_(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int (*const set_)(int);
  const int before_;
};

namespace detail {
template <class T>
inline constexpr T one{1};
template <class T>
inline constexpr T zero{0};
template <class T>
constexpr auto factor(const T& value) {  // real factors are passed by value, complex ones by address
  if constexpr (is_complex_v<T>)
    return &value;
  else
    return value;
}
}  // namespace detail

// C (m, n) = op(A) (m, k) @ op(B) (k, n); C has rows of `ldc` elements. Sizes and leading
// dimensions follow CBLAS.
template <class T>
void gemm(const Library& lib, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
          int64_t ldb, T* c, int64_t ldc) {
  using detail::factor, detail::one, detail::zero;
  lib.of<T>().gemm(kRowMajor, ta ? kTranspose : kNoTranspose, tb ? kTranspose : kNoTranspose, m, n, k, factor(one<T>),
                   a, lda, b, ldb, factor(zero<T>), c, ldc);
}
template <class T>
void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, T* c,
          int64_t ldc) {
  gemm(library_for<T>(Work::Product, m * n * k), ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}

// C (m, n) -= A (m, k) @ B (k, n).
template <class T>
void subtract_product(const Library& lib, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
                      int64_t ldb, T* c, int64_t ldc) {
  using detail::factor, detail::one;
  static constexpr T minus{-1};
  lib.of<T>().gemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, factor(minus), a, lda, b, ldb, factor(one<T>), c,
                   ldc);
}

// The upper triangle of C (n, n) = op(A) (n, k) @ transpose of op(A). Elements below the diagonal
// are not written.
template <class T>
void syrk(const Library& lib, bool ta, int64_t n, int64_t k, const T* a, int64_t lda, T* c, int64_t ldc) {
  using detail::factor, detail::one, detail::zero;
  lib.of<T>().syrk(kRowMajor, kUpper, ta ? kTranspose : kNoTranspose, n, k, factor(one<T>), a, lda, factor(zero<T>), c,
                   ldc);
}

// y = op(A) x, A having `m` rows and `n` columns as stored.
template <class T>
void gemv(const Library& lib, bool ta, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t incx, T* y,
          int64_t incy) {
  using detail::factor, detail::one, detail::zero;
  lib.of<T>().gemv(kRowMajor, ta ? kTranspose : kNoTranspose, m, n, factor(one<T>), a, lda, x, incx, factor(zero<T>), y,
                   incy);
}

// B (m, n) = B @ inverse(A), for a triangular A (n, n). The other triangle is not read. If `unit`,
// the diagonal is not read either and counts as ones.
template <class T>
void trsm_right(const Library& lib, bool upper, bool unit, int64_t m, int64_t n, const T* a, int64_t lda, T* b,
                int64_t ldb) {
  lib.of<T>().trsm(kRowMajor, kRight, upper ? kUpper : kLower, kNoTranspose, unit ? kUnit : kNonUnit, m, n,
                   detail::factor(detail::one<T>), a, lda, b, ldb);
}

template <class T>
void trsm_right(bool upper, bool unit, int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
  trsm_right(library_for<T>(Work::Triangular, n), upper, unit, m, n, a, lda, b, ldb);
}

// B (m, n) = inverse(A) @ B, for a triangular A (m, m), with `upper` and `unit` as in trsm_right().
template <class T>
void trsm_left(bool upper, bool unit, int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
  const Library& lib = library_for<T>(Work::Triangular, m);
  lib.of<T>().trsm(kRowMajor, kLeft, upper ? kUpper : kLower, kNoTranspose, unit ? kUnit : kNonUnit, m, n,
                   detail::factor(detail::one<T>), a, lda, b, ldb);
}

// sum x_i y_i, without conjugation.
template <class T>
T dot(const Library& lib, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy) {
  if constexpr (is_complex_v<T>) {
    T r;
    lib.of<T>().dot(n, x, incx, y, incy, &r);
    return r;
  } else {
    return lib.of<T>().dot(n, x, incx, y, incy);
  }
}

}  // namespace tnp::blas
