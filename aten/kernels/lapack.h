// LAPACK, one overloaded name per routine. Matrices are column-major. Each routine returns LAPACK's
// `info`: 0 on success, > 0 if the matrix cannot be factorised, < 0 (some drivers) if it contains
// NaNs.
#pragma once

#include <algorithm>

#include "aten/core/errors/error.h"
#include "aten/kernels/blas_library.h"

namespace tnp::lapack {

using blas::Int;
using blas::kColumnMajor;
using blas::Work;

inline int64_t checked(int64_t info) {
  // LAPACKE's codes for a failed allocation: of the workspace, and of a transposed copy.
  constexpr int64_t kNoWorkspace = -1010, kNoTranspose = -1011;
  TNP_CHECK(info != kNoWorkspace && info != kNoTranspose, ErrorKind::Memory, "LAPACK could not allocate its workspace");
  return info;
}

template <class T>
const blas::Routines<T>& routines(Work work, int64_t size) {
  return blas::library_for<T>(work, size).template of<T>();
}

template <class T>
int64_t getrf(int64_t m, int64_t n, T* a, int64_t lda, Int* pivots) {
  return checked(routines<T>(Work::LU, std::max(m, n)).getrf(kColumnMajor, m, n, a, lda, pivots));
}
template <class T>
int64_t getrs(char trans, int64_t n, int64_t nrhs, T* a, int64_t lda, const Int* pivots, T* b, int64_t ldb) {
  return checked(routines<T>(Work::Triangular, n).getrs(kColumnMajor, trans, n, nrhs, a, lda, pivots, b, ldb));
}
template <class T>
int64_t getri(int64_t n, T* a, int64_t lda, const Int* pivots) {
  return checked(routines<T>(Work::Triangular, n).getri(kColumnMajor, n, a, lda, pivots));
}
template <class T>
int64_t potrf(char uplo, int64_t n, T* a, int64_t lda) {
  return checked(routines<T>(Work::Cholesky, n).potrf(kColumnMajor, uplo, n, a, lda));
}
template <class T>
int64_t geqrf(int64_t m, int64_t n, T* a, int64_t lda, T* tau) {
  return checked(routines<T>(Work::QR, std::max(m, n)).geqrf(kColumnMajor, m, n, a, lda, tau));
}
// Builds Q from the factors: orgqr, or ungqr for complex matrices.
template <class T>
int64_t orgqr(int64_t m, int64_t n, int64_t k, T* a, int64_t lda, T* tau) {
  return checked(routines<T>(Work::QR, std::max(m, n)).orgqr(kColumnMajor, m, n, k, a, lda, tau));
}
// C = Q^H C.
template <class T>
int64_t ormqr(int64_t m, int64_t n, int64_t k, T* a, int64_t lda, T* tau, T* c, int64_t ldc) {
  const char adjoint = is_complex_v<T> ? 'C' : 'T';
  return checked(routines<T>(Work::QR, std::max(m, n)).ormqr(kColumnMajor, 'L', adjoint, m, n, k, a, lda, tau, c, ldc));
}
template <class T>
int64_t gesdd(char job, int64_t m, int64_t n, T* a, real_t<T>* s, T* u, int64_t ldu, T* vt, int64_t ldvt) {
  return checked(routines<T>(Work::SVD, std::max(m, n)).gesdd(kColumnMajor, job, m, n, a, m, s, u, ldu, vt, ldvt));
}
// syevd, or heevd for complex matrices.
template <class T>
int64_t syevd(char job, char uplo, int64_t n, T* a, real_t<T>* w) {
  return checked(routines<T>(Work::SymmetricEigen, n).syevd(kColumnMajor, job, uplo, n, a, n, w));
}
template <class T>
int64_t gelsd(int64_t m, int64_t n, int64_t nrhs, T* a, T* b, int64_t ldb, real_t<T>* s, real_t<T> rcond, Int* rank) {
  return checked(routines<T>(Work::SVD, std::max(m, n)).gelsd(kColumnMajor, m, n, nrhs, a, m, b, ldb, s, rcond, rank));
}

// A = L D L^T, or L D L^H for complex matrices if `hermitian`, from the triangle `uplo`, with
// pivots of 1 x 1 and 2 x 2.
template <class T>
int64_t sytrf(bool hermitian, char uplo, int64_t n, T* a, int64_t lda, Int* pivots) {
  const auto& table = routines<T>(Work::LU, n);
  const auto factorise = hermitian && is_complex_v<T> ? table.hetrf : table.sytrf;
  return checked(factorise(kColumnMajor, uplo, n, a, lda, pivots));
}
template <class T>
int64_t sytrs(bool hermitian, char uplo, int64_t n, int64_t nrhs, const T* a, int64_t lda, const Int* pivots, T* b,
              int64_t ldb) {
  const auto& table = routines<T>(Work::Triangular, n);
  const auto solve = hermitian && is_complex_v<T> ? table.hetrs : table.sytrs;
  return checked(solve(kColumnMajor, uplo, n, nrhs, a, lda, pivots, b, ldb));
}

// Eigenvalues (as real and imaginary parts) and, if job is 'V', right eigenvectors in LAPACK's
// packing.
template <class T>
int64_t geev(char job, int64_t n, T* a, T* wr, T* wi, T* vr) {
  return checked(routines<T>(Work::Eigen, n).geev(kColumnMajor, 'N', job, n, a, n, wr, wi, nullptr, 1, vr, n));
}
template <class R>
int64_t geev(char job, int64_t n, Complex<R>* a, Complex<R>* w, Complex<R>* vr) {
  return checked(routines<Complex<R>>(Work::Eigen, n).geev(kColumnMajor, 'N', job, n, a, n, w, nullptr, 1, vr, n));
}

}  // namespace tnp::lapack
