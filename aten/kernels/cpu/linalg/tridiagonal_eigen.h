// Eigenvectors of symmetric tridiagonal matrices on several threads.
//
// Note [Halves of tridiagonal matrices] Divide and conquer by Cuppen, Numer. Math. 36 (1981) 177:
// two matrices of half the size are solved at the same time, and a rank-one update combines them
// (LAPACK's laed1). stedc solves them one after the other. The split depends on the size only, so
// with OpenBLAS the bits are the same on any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/lapack.h"

namespace tnp {

template <class R>
class TridiagonalEigen {
  using Int = blas::Int;

 public:
  explicit TridiagonalEigen(int64_t size) : library_(blas::library_for<R>(blas::Work::TridiagonalEigen, size)) {}

  // d: the n diagonal elements; e: the n - 1 off-diagonal elements. Their squares are far from
  // overflow. On return, d holds the eigenvalues, z (n, n) the eigenvectors in columns, and `order`
  // the position of the i-th smallest eigenvalue, counted from 1. Returns LAPACK's `info`.
  Int solve(Int n, R* d, R* e, R* z, Int* order) const {
    R largest = 0;  // scales the numbers to about 1, as stedc does
    for (Int i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : R(0)});
    if (largest == 0) largest = 1;
    for (Int i = 0; i < n; ++i) d[i] /= largest;
    for (Int i = 0; i + 1 < n; ++i) e[i] /= largest;
    const Int info = solve(n, d, e, z, n, order);
    for (Int i = 0; i < n; ++i) d[i] *= largest;
    // laed1's order may be wrong for neighbours that differ by rounding only.
    std::stable_sort(order, order + n, [&](Int a, Int b) { return d[a - 1] < d[b - 1]; });
    return info;
  }

 private:
  static constexpr Int kWhole = 200;  // matrices with fewer rows are not split

  Int solve(Int n, R* d, R* e, R* z, Int ldz, Int* order) const {
    if (n < kWhole) {
      const blas::OneThread alone(library_, true);
      std::iota(order, order + n, Int{1});
      return lapack::checked(library_.template of<R>().stedc(blas::kColumnMajor, 'I', n, d, e, z, ldz));
    }
    const Int half = n / 2;
    R joint = e[half - 1];
    d[half - 1] -= std::abs(joint);
    d[half] -= std::abs(joint);
    Int infos[2] = {0, 0};
    parallel_for(0, 2, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Int from = i == 0 ? 0 : half, size = i == 0 ? half : n - half;
        for (Int j = 0; j < size; ++j)  // zeroes the rows outside this half's block
          std::fill_n(z + (from + j) * ldz + (i == 0 ? half : 0), n - size, R(0));
        infos[i] = solve(size, d + from, e + from, z + from * ldz + from, ldz, order + from);
      }
    });
    for (Int info : infos)
      if (info != 0) return info;
    const auto work = std::make_unique_for_overwrite<R[]>(static_cast<size_t>(n * n + 4 * n));
    const auto places = std::make_unique_for_overwrite<Int[]>(static_cast<size_t>(4 * n));
    Int info = 0;
    library_.template of<R>().laed1(&n, d, z, &ldz, order, &joint, &half, work.get(), places.get(), &info);
    return info;
  }

  const blas::Library& library_;
};

}  // namespace tnp
