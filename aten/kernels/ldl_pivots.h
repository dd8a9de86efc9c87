// The pivots of L D L^T of the lower triangle in LAPACK's packing. They count rows from 1. A 1 x 1
// block of D stores the row; a 2 x 2 block stores its negative twice.
#pragma once

#include <cstdint>

#include "aten/core/errors/error.h"

namespace tnp {

// Raises Domain unless the `n` numbers at `pivots` are valid. Solvers use them as row numbers
// without a check.
inline void check_ldl_pivots(const int64_t* pivots, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t pivot = pivots[k];
    TNP_CHECK(pivot != 0 && pivot >= -n && pivot <= n, ErrorKind::Domain, "{pivots} must be from 1 to ", n,
              ", or negative of that, got ", pivot);
    if (pivot > 0) continue;
    TNP_CHECK(k + 1 < n && pivots[k + 1] == pivot, ErrorKind::Domain, "{pivots} below 0 must be equal in pairs, got ",
              pivot, " at ", k);
    ++k;
  }
}

}  // namespace tnp
