// Folding runs of neighbouring rows, all side by side, on devices that kernels are launched on: what ufunc.reduceat and
// ufunc.at are made of there.
//
// Note [Folds by launches] A loop of a pointwise operator knows two operands of one shape. Folding from left to right
// takes as many launches as a run has rows, each over all that is kept: NumPy's order, and its result for every
// operator. What is associative takes log2 as many.
#pragma once

#include <span>

#include "aten/core/containers/function_ref.h"
#include "aten/kernels/pointwise.h"

namespace tnp::folding {

// out = left op right in the loop's dtype, which all have; where `mask` says so, if it is defined. `out` may be `left`.
void launch_step(const PointwiseLoop& loop, const Tensor& out, const Tensor& left, const Tensor& right,
                 const Tensor& mask = {});

// Integers on a device.
Tensor integers_on(Device device, std::span<const int64_t> values);
Tensor count_on(Device device, int64_t n);  // 0, 1, ..., n - 1

// t[index], along the first axis.
Tensor pick(const Tensor& t, const Tensor& index);
// `count` rows from `start` on.
Tensor rows_from(const Tensor& t, int64_t start, int64_t count);

// From left to right: step(totals[:k], the next rows of the k runs that have one). Run i is lengths[i] rows from
// starts[i] on; the longest comes first. The first `done` rows of each are in `totals` already.
void fold_longest_first(const Tensor& totals, const Tensor& rows, const Tensor& starts,
                        std::span<const int64_t> lengths, int64_t done,
                        function_ref<void(const Tensor& totals, const Tensor& rows)> step);

// By doubling: leaves each run's total in its first row, and something in the others. `place`: of each row in its run;
// `left`: how many rows its run has from it on (0: it is in none).
void fold_by_doubling(const PointwiseLoop& loop, const Tensor& rows, const Tensor& place, const Tensor& left,
                      int64_t longest);
// From which length on that is quicker.
inline constexpr int64_t kDoublingPays = 24;

}  // namespace tnp::folding
