// The pivots of L D L^T as LAPACK packs them, of the lower triangle: k + 1 rows down from 1 where a block of D is one
// row, and twice its negative where it is two.
#pragma once

#include <cstdint>

#include "aten/core/errors/error.h"

namespace tnp {

// Raises Domain unless the `n` numbers at `pivots` are such: what solves with them follows them blindly.
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
