// Folds of many runs of consecutive rows at once, on devices with kernel launches. ufunc.reduceat
// and ufunc.at use these functions on such devices.
//
// Note [Folds by launches] The loop of a pointwise operator combines two operands of one shape. A
// fold from left to right takes as many launches as the longest run has rows, each over all kept
// elements. This is NumPy's order and gives its result for every operator. Associative operators
// only need log2 as many launches.
#pragma once

#include <span>

#include "aten/core/containers/function_ref.h"
#include "aten/kernels/pointwise.h"

namespace tnp::folding {

// out = left op right in the loop's dtype, which all tensors have, where `mask` is true or
// undefined. `out` may be `left`.
void launch_step(const PointwiseLoop& loop, const Tensor& out, const Tensor& left, const Tensor& right,
                 const Tensor& mask = {});

// A new int64 tensor on `device` with these values.
Tensor integers_on(Device device, std::span<const int64_t> values);
Tensor count_on(Device device, int64_t n);  // 0, 1, ..., n - 1

// t[index], along the first axis.
Tensor pick(const Tensor& t, const Tensor& index);
// Returns a view of `count` rows of `t`, beginning with row `start`.
Tensor rows_from(const Tensor& t, int64_t start, int64_t count);

// Folds from left to right. Calls step(totals[:k], rows) with the next row of each of the k runs
// that still have one. Run i is lengths[i] rows from starts[i] on; lengths are in descending order.
// `totals` already contains the first `done` rows of each run.
void fold_longest_first(const Tensor& totals, const Tensor& rows, const Tensor& starts,
                        std::span<const int64_t> lengths, int64_t done,
                        function_ref<void(const Tensor& totals, const Tensor& rows)> step);

// Folds by doubling: combines neighbouring pairs, then pairs of pairs, and so on. Leaves each run's
// total in its first row and overwrites the other rows. `place`: the index of each row within its
// run. `left`: for each row, the number of rows from this row to the end of its run, or 0 if the
// row belongs to no run.
void fold_by_doubling(const PointwiseLoop& loop, const Tensor& rows, const Tensor& place, const Tensor& left,
                      int64_t longest);
// The minimum run length for which doubling is faster than folding from left to right.
inline constexpr int64_t kDoublingPays = 24;

}  // namespace tnp::folding
