// Factorisations of stacks of matrices in device memory, named after LAPACK's routines. On a GPU,
// cuSOLVER and cuBLAS compute them (solver_cuda.cu), opened on first use. On the emulated device
// LAPACK does (solver_emulated.cpp).
//
// Note [Stacks for LAPACK] A stack of `count` column-major matrices of m rows and n columns is a
// contiguous tensor (count, n, m): our row-major matrix is the transpose of LAPACK's. No size is
// zero. Dtypes: float32, float64, complex64, complex128.
//
// All functions queue work in the current stream. They do not wait for it or read values on the
// host. `info` is LAPACK's, int32 (count), on the device: 0 for success.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu::solver {

// A = P L U, in place, of (count, n, m): m rows, n columns. Pivots (count, min(m, n)) are LAPACK's,
// counted from 1, int32 or int64 as getrs needs them. Without `pivot` no rows are exchanged, and
// the pivots are undefined.
struct Lu {
  Tensor pivots, info;
};
Lu getrf(const Tensor& a, bool pivot = true);
// op(A) X = B: `factors` (count, n, n) and `pivots` of getrf, `b` (count, columns, n), which
// becomes X. trans: 'N' or 'T'.
void getrs(char trans, const Tensor& factors, const Tensor& pivots, const Tensor& b);

// A = U^H U (uplo 'U') or L L^H ('L') in the triangle that was read; the other triangle is
// unspecified afterwards. Returns info.
Tensor potrf(char uplo, const Tensor& a);

// Factorises A = L D L^T in the lower triangle, in place, with pivots of one and two rows. Complex
// matrices are symmetric, not Hermitian. Pivots: int64 (count, n). Returns info.
Tensor sytrf(const Tensor& a, const Tensor& pivots);
// A X = B: `factors` and `pivots` of sytrf, `b` (count, columns, n), which becomes X.
void sytrs(const Tensor& factors, const Tensor& pivots, const Tensor& b);

// A = Q R: writes R, and below it the reflectors of Q, whose factors go into tau (count, min(m,
// n)).
void geqrf(const Tensor& a, const Tensor& tau);
// Replaces the reflectors in `a` (count, n, m), n <= m, by the n first columns of Q. `tau` (count,
// k), k <= n, comes from geqrf.
void orgqr(const Tensor& a, const Tensor& tau);
// b = Q^H b, for `b` (count, columns, m). `a` (count, n, m) and `tau` come from geqrf.
void ormqr(const Tensor& a, const Tensor& tau, const Tensor& b);

// A = U diag(S) Vh, m >= n, singular values in descending order. A is destroyed. s: real (count,
// n). u (count, n or m, m): n columns of U or all m. vh: (count, n, n). If both are undefined, only
// S is computed. Returns info.
Tensor gesvd(const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& vh);

// Ascending eigenvalues w (real, (count, n)) of Hermitian matrices, of which the triangle `uplo` is
// read. If `vectors`, A is overwritten by its eigenvectors, otherwise by unspecified values.
// Returns info.
Tensor syevd(bool vectors, char uplo, const Tensor& a, const Tensor& w);

// Eigenvalues w and right eigenvectors v (count, n, n; undefined if unwanted) of any square
// matrices. A is destroyed. For complex matrices w is (count, n). For real ones it is packed as in
// LAPACK: w (count, 2, n) has real parts, then imaginary parts. Of a conjugate pair, the eigenvalue
// with positive imaginary part comes first, and two columns of v are the real and the imaginary
// part of its vector. Returns info. Raises NotImplemented if this cuSOLVER has no such routine.
Tensor geev(const Tensor& a, const Tensor& w, const Tensor& v);

}  // namespace tnp::gpu::solver
