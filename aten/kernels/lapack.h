// LAPACK under one overloaded name per routine. Matrices are column-major; each returns LAPACK's `info`: 0, or what
// went wrong: > 0 for numbers it cannot factorise, < 0 (some drivers) for NaNs among them.
#pragma once

#include "aten/core/dtype.h"
#include "aten/kernels/blas.h"

#include <mkl_lapacke.h>

namespace tnp::lapack {

using blas::Int;
using blas::to_int;

using Complex8 = MKL_Complex8;
using Complex16 = MKL_Complex16;

inline float* as_lapack(float* p) { return p; }
inline double* as_lapack(double* p) { return p; }
inline Complex8* as_lapack(Complex<float>* p) { return reinterpret_cast<Complex8*>(p); }
inline Complex16* as_lapack(Complex<double>* p) { return reinterpret_cast<Complex16*>(p); }

inline int64_t checked(int64_t info) {
  TNP_CHECK(info != LAPACK_WORK_MEMORY_ERROR && info != LAPACK_TRANSPOSE_MEMORY_ERROR, ErrorKind::Memory,
            "LAPACK could not allocate its workspace");
  return info;
}

// LAPACKE looks for NaNs before it calls; what happens with them is decided by its callers here.
inline void allow_nan() {
  static const bool once = (LAPACKE_set_nancheck(0), true);
  (void)once;
}

#define TNP_LAPACK(T, p, orgqr_, ormqr_, adjoint, syevd_)                                                              \
  inline int64_t getrf(int64_t m, int64_t n, T* a, int64_t lda, Int* pivots) {                                         \
    allow_nan();                                                                                                       \
    return checked(LAPACKE_##p##getrf(LAPACK_COL_MAJOR, to_int(m), to_int(n), as_lapack(a), to_int(lda), pivots));     \
  }                                                                                                                    \
  inline int64_t getrs(char trans, int64_t n, int64_t nrhs, T* a, int64_t lda, const Int* pivots, T* b, int64_t ldb) { \
    return checked(LAPACKE_##p##getrs(LAPACK_COL_MAJOR, trans, to_int(n), to_int(nrhs), as_lapack(a), to_int(lda),     \
                                      pivots, as_lapack(b), to_int(ldb)));                                             \
  }                                                                                                                    \
  inline int64_t getri(int64_t n, T* a, int64_t lda, const Int* pivots) {                                              \
    return checked(LAPACKE_##p##getri(LAPACK_COL_MAJOR, to_int(n), as_lapack(a), to_int(lda), pivots));                \
  }                                                                                                                    \
  inline int64_t potrf(char uplo, int64_t n, T* a, int64_t lda) {                                                      \
    allow_nan();                                                                                                       \
    return checked(LAPACKE_##p##potrf(LAPACK_COL_MAJOR, uplo, to_int(n), as_lapack(a), to_int(lda)));                  \
  }                                                                                                                    \
  inline int64_t geqrf(int64_t m, int64_t n, T* a, int64_t lda, T* tau) {                                              \
    allow_nan();                                                                                                       \
    return checked(                                                                                                    \
        LAPACKE_##p##geqrf(LAPACK_COL_MAJOR, to_int(m), to_int(n), as_lapack(a), to_int(lda), as_lapack(tau)));        \
  }                                                                                                                    \
  inline int64_t orgqr(int64_t m, int64_t n, int64_t k, T* a, int64_t lda, T* tau) {                                   \
    return checked(LAPACKE_##p##orgqr_(LAPACK_COL_MAJOR, to_int(m), to_int(n), to_int(k), as_lapack(a), to_int(lda),   \
                                       as_lapack(tau)));                                                               \
  }                                                                                                                    \
  /* C = Q^H C */                                                                                                      \
  inline int64_t ormqr(int64_t m, int64_t n, int64_t k, T* a, int64_t lda, T* tau, T* c, int64_t ldc) {                \
    return checked(LAPACKE_##p##ormqr_(LAPACK_COL_MAJOR, 'L', adjoint, to_int(m), to_int(n), to_int(k), as_lapack(a),  \
                                       to_int(lda), as_lapack(tau), as_lapack(c), to_int(ldc)));                       \
  }                                                                                                                    \
  inline int64_t gesdd(char job, int64_t m, int64_t n, T* a, real_t<T>* s, T* u, int64_t ldu, T* vt, int64_t ldvt) {   \
    allow_nan();                                                                                                       \
    return checked(LAPACKE_##p##gesdd(LAPACK_COL_MAJOR, job, to_int(m), to_int(n), as_lapack(a), to_int(m), s,         \
                                      as_lapack(u), to_int(ldu), as_lapack(vt), to_int(ldvt)));                        \
  }                                                                                                                    \
  inline int64_t syevd(char job, char uplo, int64_t n, T* a, real_t<T>* w) {                                           \
    allow_nan();                                                                                                       \
    return checked(LAPACKE_##p##syevd_(LAPACK_COL_MAJOR, job, uplo, to_int(n), as_lapack(a), to_int(n), w));           \
  }                                                                                                                    \
  inline int64_t gelsd(int64_t m, int64_t n, int64_t nrhs, T* a, T* b, int64_t ldb, real_t<T>* s, real_t<T> rcond,     \
                       Int* rank) {                                                                                    \
    allow_nan();                                                                                                       \
    return checked(LAPACKE_##p##gelsd(LAPACK_COL_MAJOR, to_int(m), to_int(n), to_int(nrhs), as_lapack(a), to_int(m),   \
                                      as_lapack(b), to_int(ldb), s, rcond, rank));                                     \
  }
TNP_LAPACK(float, s, orgqr, ormqr, 'T', syevd)
TNP_LAPACK(double, d, orgqr, ormqr, 'T', syevd)
TNP_LAPACK(Complex<float>, c, ungqr, unmqr, 'C', heevd)
TNP_LAPACK(Complex<double>, z, ungqr, unmqr, 'C', heevd)
#undef TNP_LAPACK

// Eigenvalues (as real and imaginary parts) and, if job is 'V', right eigenvectors in LAPACK's packing.
inline int64_t geev(char job, int64_t n, float* a, float* wr, float* wi, float* vr) {
  allow_nan();
  return checked(LAPACKE_sgeev(LAPACK_COL_MAJOR, 'N', job, to_int(n), a, to_int(n), wr, wi, nullptr, 1, vr, to_int(n)));
}
inline int64_t geev(char job, int64_t n, double* a, double* wr, double* wi, double* vr) {
  allow_nan();
  return checked(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', job, to_int(n), a, to_int(n), wr, wi, nullptr, 1, vr, to_int(n)));
}
inline int64_t geev(char job, int64_t n, Complex<float>* a, Complex<float>* w, Complex<float>* vr) {
  allow_nan();
  return checked(LAPACKE_cgeev(LAPACK_COL_MAJOR, 'N', job, to_int(n), as_lapack(a), to_int(n), as_lapack(w), nullptr, 1,
                               as_lapack(vr), to_int(n)));
}
inline int64_t geev(char job, int64_t n, Complex<double>* a, Complex<double>* w, Complex<double>* vr) {
  allow_nan();
  return checked(LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', job, to_int(n), as_lapack(a), to_int(n), as_lapack(w), nullptr, 1,
                               as_lapack(vr), to_int(n)));
}

}  // namespace tnp::lapack
