// Elements of lines by rank, and running extrema, with their indices.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Writes the `k` largest (or smallest) elements of each line along `axis`, in order, to `values`
// and `indices`, which have size `k` along `axis`. Among equal elements, the first ones are chosen.
// Requires a real dtype.
void top_lines(const Tensor& input, int64_t axis, int64_t k, bool largest, const Tensor& values, const Tensor& indices);

enum class Rank : uint8_t {
  Kth,        // the k-th smallest element, counted from 0; NaN is the largest
  Median,     // the lower median, or the first NaN
  NanMedian,  // the lower median of the elements that are not NaN
};
// Selects one element of each line; `values` and `indices` have size 1 along `axis`. Lines are not
// empty.
void ranked_lines(const Tensor& input, int64_t axis, Rank rank, int64_t k, const Tensor& values, const Tensor& indices);

// The extremum up to each position of contiguous `input`, and its index. Among equal elements, the
// last one is chosen. NaN propagates.
void running_extremum_lines(const Tensor& input, int64_t axis, bool largest, const Tensor& values,
                            const Tensor& indices);

}  // namespace tnp
