// BLAS under one overloaded name per routine, row-major. That it is oneMKL's is known here only.
#pragma once

#include <cstdint>
#include <limits>

#include <mkl.h>

#include "aten/core/complex.h"
#include "aten/core/error.h"

namespace tnp::blas {

using Int = MKL_INT;

// A dimension or stride as the library's integer. Raises Value where a 32-bit BLAS cannot count that far.
inline Int to_int(int64_t v) {
  TNP_CHECK(v <= std::numeric_limits<Int>::max(), ErrorKind::Value, "array is too big for this BLAS: ", v,
            " does not fit its integers");
  return static_cast<Int>(v);
}

// While it lives, and if it is wanted, this thread computes alone the products of matrices that it asks the library
// for. Those of a matrix and a vector the library shares out nevertheless.
class OneThread {
 public:
  explicit OneThread(bool wanted) : wanted_(wanted), before_(wanted ? mkl_set_num_threads_local(1) : 0) {}
  ~OneThread() {
    if (wanted_) mkl_set_num_threads_local(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const bool wanted_;
  const int before_;
};

// C (m, n) = op(A) (m, k) @ op(B) (k, n); C has rows of `ldc` elements. Sizes and leading dimensions as cblas has them.
#define TNP_GEMM(T, prefix, one, zero)                                                                                \
  inline void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,            \
                   int64_t ldb, T* c, int64_t ldc) {                                                                  \
    cblas_##prefix##gemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, to_int(m),    \
                         to_int(n), to_int(k), one, a, to_int(lda), b, to_int(ldb), zero, c, to_int(ldc));            \
  }                                                                                                                   \
  /* y = op(A) x, A having `m` rows and `n` columns as stored */                                                      \
  inline void gemv(bool ta, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t incx, T* y,            \
                   int64_t incy) {                                                                                    \
    cblas_##prefix##gemv(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, to_int(m), to_int(n), one, a, to_int(lda), x, \
                         to_int(incx), zero, y, to_int(incy));                                                        \
  }
namespace detail {
inline constexpr Complex<float> one_c{1.0f}, zero_c{0.0f};
inline constexpr Complex<double> one_z{1.0}, zero_z{0.0};
}  // namespace detail
TNP_GEMM(float, s, 1.0f, 0.0f)
TNP_GEMM(double, d, 1.0, 0.0)
TNP_GEMM(Complex<float>, c, &detail::one_c, &detail::zero_c)
TNP_GEMM(Complex<double>, z, &detail::one_z, &detail::zero_z)
#undef TNP_GEMM

// B (m, n) = B @ inverse(A), of a triangular A (n, n) whose other triangle is not read, nor its diagonal of ones if
// `unit`.
#define TNP_TRSM(T, prefix, one)                                                                                      \
  inline void trsm_right(bool upper, bool unit, int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {   \
    cblas_##prefix##trsm(CblasRowMajor, CblasRight, upper ? CblasUpper : CblasLower, CblasNoTrans,                    \
                         unit ? CblasUnit : CblasNonUnit, to_int(m), to_int(n), one, a, to_int(lda), b, to_int(ldb)); \
  }
TNP_TRSM(float, s, 1.0f)
TNP_TRSM(double, d, 1.0)
TNP_TRSM(Complex<float>, c, &detail::one_c)
TNP_TRSM(Complex<double>, z, &detail::one_z)
#undef TNP_TRSM

// sum x_i y_i, without conjugation.
inline float dot(int64_t n, const float* x, int64_t incx, const float* y, int64_t incy) {
  return cblas_sdot(to_int(n), x, to_int(incx), y, to_int(incy));
}
inline double dot(int64_t n, const double* x, int64_t incx, const double* y, int64_t incy) {
  return cblas_ddot(to_int(n), x, to_int(incx), y, to_int(incy));
}
inline Complex<float> dot(int64_t n, const Complex<float>* x, int64_t incx, const Complex<float>* y, int64_t incy) {
  Complex<float> r;
  cblas_cdotu_sub(to_int(n), x, to_int(incx), y, to_int(incy), &r);
  return r;
}
inline Complex<double> dot(int64_t n, const Complex<double>* x, int64_t incx, const Complex<double>* y, int64_t incy) {
  Complex<double> r;
  cblas_zdotu_sub(to_int(n), x, to_int(incx), y, to_int(incy), &r);
  return r;
}

}  // namespace tnp::blas
