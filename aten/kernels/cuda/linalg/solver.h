// Factorisations of stacks of matrices in device memory, under LAPACK's names: by cuSOLVER and cuBLAS (solver_cuda.cu),
// which are opened at the first one, and on the emulated device by LAPACK itself (solver_emulated.cpp).
//
// Note [Stacks for LAPACK] A stack of `count` column-major matrices of m rows and n columns is a contiguous tensor
// (count, n, m): what is row-major to us is the transpose to LAPACK. No size is zero. Dtypes: float32, float64,
// complex64, complex128.
//
// All of it goes into the current stream; nothing here waits for it or looks at numbers. `info` is int32 (count), on
// the device: LAPACK's, 0 where all went well.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu::solver {

// A = P L U, in place, of (count, n, m): m rows, n columns. Pivots (count, min(m, n)) are LAPACK's, counted from 1,
// int32 or int64 as getrs wants them; undefined without `pivot`, when no rows are exchanged.
struct Lu {
  Tensor pivots, info;
};
Lu getrf(const Tensor& a, bool pivot = true);
// op(A) X = B: `factors` (count, n, n) and `pivots` of getrf, `b` (count, columns, n), which becomes X. trans: 'N' or
// 'T'.
void getrs(char trans, const Tensor& factors, const Tensor& pivots, const Tensor& b);

// A = U^H U (uplo 'U') or L L^H ('L') in the triangle that was read; what is in the other one afterwards is not said.
// Returns info.
Tensor potrf(char uplo, const Tensor& a);

// A = L D L^T of the lower triangle, in place, by pivots of one and two rows, also of complex numbers. Pivots: int64
// (count, n). Returns info.
Tensor sytrf(const Tensor& a, const Tensor& pivots);
// A X = B: `factors` and `pivots` of sytrf, `b` (count, columns, n), which becomes X.
void sytrs(const Tensor& factors, const Tensor& pivots, const Tensor& b);

// A = Q R: R, and below it the reflectors of Q, whose factors go into tau (count, min(m, n)).
void geqrf(const Tensor& a, const Tensor& tau);
// The n first columns of Q, in place of the reflectors in `a` (count, n, m), n <= m; tau (count, k), k <= n, what geqrf
// gave.
void orgqr(const Tensor& a, const Tensor& tau);
// b = Q^H b: `a` (count, n, m) and tau from geqrf, b (count, columns, m).
void ormqr(const Tensor& a, const Tensor& tau, const Tensor& b);

// A = U diag(S) Vh, m >= n, singular values descending. A is destroyed. s: real (count, n). u (count, n or m, m): n
// columns of U or all of them, vh (count, n, n); or both undefined, for S alone. Returns info.
Tensor gesvd(const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& vh);

// Ascending eigenvalues w (real, (count, n)) of Hermitian matrices, of which the triangle `uplo` is read. A becomes its
// eigenvectors, or is destroyed. Returns info.
Tensor syevd(bool vectors, char uplo, const Tensor& a, const Tensor& w);

// Eigenvalues w and right eigenvectors v (count, n, n; undefined if unwanted) of any square matrices. A is destroyed.
// For complex ones w is (count, n). For real ones as LAPACK packs them: w (count, 2, n) has real parts, then imaginary
// parts; of a conjugate pair, the one with positive imaginary part comes first, and two columns of v are the real and
// the imaginary part of its vector. Returns info. Raises NotImplemented where cuSOLVER has no such routine.
Tensor geev(const Tensor& a, const Tensor& w, const Tensor& v);

}  // namespace tnp::gpu::solver
