// L D L^H of Hermitian matrices, which cuSOLVER has not: by kernels of our own, with LAPACK's results. See solver.h for
// the layout of stacks. Complex dtypes.
//
// Source: Bunch and Kaufman, Math. Comput. 31 (1977) 163-179, as in LAPACK's hetf2 and hetrs.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// The factors of the lower triangles, in place. Pivots: int64 (count, n). Returns info.
Tensor hetrf(const Tensor& a, const Tensor& pivots);
// A X = B: `b` (count, columns, n) becomes X. Pivots: int64 (count, n), checked.
void hetrs(const Tensor& factors, const Tensor& pivots, const Tensor& b);

}  // namespace tnp::gpu
