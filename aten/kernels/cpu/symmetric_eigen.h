// Eigenvectors of Hermitian matrices where a library without threads makes them tridiagonal.
//
// Note [Eigenvectors in parts] syevd makes a tridiagonal matrix (sytrd), whose eigenvectors (stedc) it brings back
// (ormtr): column by column, so that columns can be shared out among threads. They are cut by their number alone: the
// bits are the same on any number of threads. The last two are another kind of work, and may be another library's:
// on AMD's processors OpenBLAS's sytrd takes 0.65 to 0.85 of oneMKL's time (200 to 600 rows), its stedc 1.02 to 1.06,
// its ormtr 1.1 to 1.25.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "aten/core/parallel.h"
#include "aten/kernels/blas.h"
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
  const auto& first = lapack::routines<T>(blas::Work::SymmetricEigen, n);
  const auto& library = blas::library_for<T>(blas::Work::TridiagonalEigen, n);
  const auto& then = library.template of<T>();
  const auto size = static_cast<size_t>(n);
  const auto reflections = std::make_unique_for_overwrite<T[]>(size),
             z = std::make_unique_for_overwrite<T[]>(size * size);
  const auto beside = std::make_unique_for_overwrite<real_t<T>[]>(size);
  int64_t info = checked(first.sytrd(kColumnMajor, uplo, n, a, n, w, beside.get(), reflections.get()));
  if (info == 0) info = checked(then.stedc(kColumnMajor, 'I', n, w, beside.get(), z.get(), n));
  if (info != 0) return info;
  const int64_t parts = std::min<int64_t>(n / kEigenvectorsInAPart, 16);
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    const blas::OneThread alone(library, true);
    const auto own = std::make_unique_for_overwrite<T[]>(size * size);  // ormtr may change it for a while
    std::copy_n(a, n * n, own.get());
    for (int64_t part = begin; part < end; ++part) {
      const int64_t from = n * part / parts, to = n * (part + 1) / parts;
      checked(then.ormtr(kColumnMajor, 'L', uplo, 'N', n, to - from, own.get(), n, reflections.get(),
                         z.get() + from * n, n));
    }
  });
  std::copy_n(z.get(), n * n, a);
  return 0;
}

}  // namespace tnp
