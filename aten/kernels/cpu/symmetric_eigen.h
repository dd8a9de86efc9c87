// Eigenvectors of Hermitian matrices by a library that has no threads.
//
// Note [Eigenvectors in parts] syevd makes a tridiagonal matrix (sytrd), whose eigenvectors (stedc) it brings back
// (ormtr): column by column, so that columns can be shared out among threads. They are cut by their number alone: the
// bits are the same on any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "aten/core/parallel.h"
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
  using lapack::checked, blas::kColumnMajor;
  const auto& routines = lapack::routines<T>(blas::Work::SymmetricEigen, n);
  const auto size = static_cast<size_t>(n);
  const auto reflections = std::make_unique_for_overwrite<T[]>(size), z = std::make_unique_for_overwrite<T[]>(size * size);
  const auto beside = std::make_unique_for_overwrite<real_t<T>[]>(size);
  int64_t info = checked(routines.sytrd(kColumnMajor, uplo, n, a, n, w, beside.get(), reflections.get()));
  if (info == 0) info = checked(routines.stedc(kColumnMajor, 'I', n, w, beside.get(), z.get(), n));
  if (info != 0) return info;
  const int64_t parts = std::min<int64_t>(n / kEigenvectorsInAPart, 16);
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    const auto own = std::make_unique_for_overwrite<T[]>(size * size);  // ormtr may change it for a while
    std::copy_n(a, n * n, own.get());
    for (int64_t part = begin; part < end; ++part) {
      const int64_t from = n * part / parts, to = n * (part + 1) / parts;
      checked(routines.ormtr(kColumnMajor, 'L', uplo, 'N', n, to - from, own.get(), n, reflections.get(),
                             z.get() + from * n, n));
    }
  });
  std::copy_n(z.get(), n * n, a);
  return 0;
}

}  // namespace tnp
