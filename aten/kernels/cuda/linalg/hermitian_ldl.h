// L D L^H factorisation of Hermitian matrices with complex dtypes. cuSOLVER has no such routine, so
// these are our own kernels, with LAPACK's results. solver.h documents the layout of stacks.
//
// Source: Bunch and Kaufman, Math. Comput. 31 (1977) 163-179, as in LAPACK's hetf2 and hetrs.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// Factors the lower triangles in place. Pivots: int64 (count, n). Returns info.
Tensor hetrf(const Tensor& a, const Tensor& pivots);
// Solves A X = B: `b` (count, columns, n) becomes X. Pivots: int64 (count, n), already checked.
void hetrs(const Tensor& factors, const Tensor& pivots, const Tensor& b);

}  // namespace tnp::gpu
