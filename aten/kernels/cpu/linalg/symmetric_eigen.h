// Eigenvectors of Hermitian matrices where a library without threads makes them tridiagonal.
//
// Note [Eigenvectors in parts] syevd makes a tridiagonal matrix (sytrd), whose eigenvectors (stedc) it brings back
// (ormtr). Here the tridiagonal matrix is cut in halves (tridiagonal_eigen.h), and columns are brought back in parts,
// by their number alone: with OpenBLAS the bits are the same on any number of threads. What follows sytrd is another
// kind of work, and may be another library's: on AMD's processors OpenBLAS's sytrd takes 0.65 to 0.85 of oneMKL's time
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

constexpr int64_t kEigenvectorsInAPart = 100;  // at least

// Whether that is to be done for this matrix: it is large, its library has no threads, and none of the numbers of its
// triangle is so large or so small that syevd would scale them, nor a NaN.
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
      largest = size <= largest ? largest : size;  // a NaN, too
    }
    if (!(largest <= 1 / smallest)) return false;
  }
  return largest >= smallest;
}

// Eigenvalues w of (n, n) numbers in columns, which become the eigenvectors. LAPACK's `info`.
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
    const auto own = std::make_unique_for_overwrite<T[]>(size * size);  // ormtr may change it for a while
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
