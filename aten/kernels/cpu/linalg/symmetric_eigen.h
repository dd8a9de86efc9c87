// Eigenvectors of Hermitian matrices on several threads, for a LAPACK library without threads.
//
// Note [Eigenvectors in parts] syevd reduces the matrix to a tridiagonal one (sytrd), computes its
// eigenvectors (stedc) and transforms them back (ormtr). Here the tridiagonal matrix is split in
// halves (tridiagonal_eigen.h), and columns are transformed back in parts. The parts depend on the
// size only, so with OpenBLAS the bits are the same on any number of threads. The steps after sytrd
// may use another library: on AMD's processors OpenBLAS's sytrd takes 0.65 to 0.85 of oneMKL's time
// (200 to 600 rows), its stedc 1.02 to 1.06, its ormtr 1.1 to 1.25.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/tridiagonal_eigen.h"
#include "aten/kernels/lapack.h"

namespace tnp {

constexpr int64_t kEigenvectorsInAPart = 100;  // minimum number of columns in a part

// Whether to use this method: the matrix is large, its library has no threads, and its triangle has
// no NaN and no numbers so large or so small that syevd would scale them.
template <class T>
bool in_parts(char uplo, int64_t n, const T* a) {
  using R = real_t<T>;
  if (n < 2 * kEigenvectorsInAPart || blas::library_for<T>(blas::Work::SymmetricEigen, n).has_threads()) return false;
  const R smallest = std::sqrt(std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon()) * 2;
  R largest = 0;
  for (int64_t j = 0; j < n; ++j) {
    const auto* column = reinterpret_cast<const R*>(a + j * n);
    constexpr int64_t kParts = sizeof(T) / sizeof(R);
    const int64_t from = uplo == 'U' ? 0 : j, to = uplo == 'U' ? j + 1 : n;
    for (int64_t i = from * kParts; i < to * kParts; ++i) {
      const R size = std::abs(column[i]);
      largest = size <= largest ? largest : size;  // propagates NaN
    }
    if (!(largest <= 1 / smallest)) return false;
  }
  return largest >= smallest;
}

// The eigenvalues w of the column-major matrix `a` (n, n), which is overwritten by the
// eigenvectors. Returns LAPACK's `info`.
template <class T>
int64_t eigenvectors_in_parts(char uplo, int64_t n, T* a, real_t<T>* w) {
  using R = real_t<T>;
  using blas::kColumnMajor, lapack::checked;
  const auto size = static_cast<size_t>(n);
  const auto reflections = std::make_unique_for_overwrite<T[]>(size);
  const auto d = std::make_unique_for_overwrite<R[]>(size), e = std::make_unique_for_overwrite<R[]>(size),
             z = std::make_unique_for_overwrite<R[]>(size * size);
  const auto order = std::make_unique_for_overwrite<blas::Int[]>(size);
  int64_t info = checked(lapack::routines<T>(blas::Work::SymmetricEigen, n)
                             .sytrd(kColumnMajor, uplo, n, a, n, d.get(), e.get(), reflections.get()));
  if (info == 0) info = TridiagonalEigen<R>(n).solve(n, d.get(), e.get(), z.get(), order.get());
  if (info != 0) return info;

  const auto& library = blas::library_for<T>(blas::Work::TridiagonalEigen, n);
  const auto vectors = std::make_unique_for_overwrite<T[]>(size * size);
  const int64_t parts = std::min<int64_t>(n / kEigenvectorsInAPart, 16);
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    const blas::OneThread alone(library, true);
    // A copy, because ormtr may modify it temporarily.
    const auto own = std::make_unique_for_overwrite<T[]>(size * size);
    std::copy_n(a, n * n, own.get());
    for (int64_t part = begin; part < end; ++part) {
      const int64_t from = n * part / parts, to = n * (part + 1) / parts;
      for (int64_t j = from; j < to; ++j) {
        const int64_t at = order[static_cast<size_t>(j)] - 1;
        w[j] = d[static_cast<size_t>(at)];
        std::copy_n(z.get() + at * n, n, vectors.get() + j * n);
      }
      checked(library.template of<T>().ormtr(kColumnMajor, 'L', uplo, 'N', n, to - from, own.get(), n,
                                             reflections.get(), vectors.get() + from * n, n));
    }
  });
  std::copy_n(vectors.get(), n * n, a);
  return 0;
}

}  // namespace tnp
