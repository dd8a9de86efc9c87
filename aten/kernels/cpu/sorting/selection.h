// Elements of lines by rank, and running extrema, with their indices.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Writes the `k` largest (or smallest) elements of each line along `axis`, in order, to `values`
// and `indices`, which have size `k` there. Of equal elements, the first ones are chosen. Real
// dtypes.
void top_lines(const Tensor& input, int64_t axis, int64_t k, bool largest, const Tensor& values, const Tensor& indices);

enum class Rank : uint8_t {
  Kth,        // the k-th, counted from 0; NaN is the largest
  Median,     // the lower median, or the first NaN
  NanMedian,  // the lower median of the elements that are not NaN
};
// One element of each line; `values` and `indices` have size 1 along `axis`. Lines are not empty.
void ranked_lines(const Tensor& input, int64_t axis, Rank rank, int64_t k, const Tensor& values, const Tensor& indices);

// The extremum up to each position of contiguous `input`, and its index; of equal elements, the
// last. NaN propagates.
void running_extremum_lines(const Tensor& input, int64_t axis, bool largest, const Tensor& values,
                            const Tensor& indices);

}  // namespace tnp
