// Elements of lines by their rank, and running extrema, with where they are.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// The `k` largest (or smallest) elements of each line along `axis`, in order, into `values` and `indices`, which have
// `k` there. Of equal ones those that come first. Real dtypes.
void top_lines(const Tensor& input, int64_t axis, int64_t k, bool largest, const Tensor& values, const Tensor& indices);

enum class Rank : uint8_t {
  Kth,        // the k-th, counted from 0; NaN is the largest
  Median,     // the lower median, or the first NaN
  NanMedian,  // of what is not NaN
};
// One element of each line; `values` and `indices` have size 1 along `axis`. Lines are not empty.
void ranked_lines(const Tensor& input, int64_t axis, Rank rank, int64_t k, const Tensor& values, const Tensor& indices);

// The extremum up to each place of contiguous `input`, and where it is: the last of equal ones. NaN stays.
void running_extremum_lines(const Tensor& input, int64_t axis, bool largest, const Tensor& values,
                            const Tensor& indices);

}  // namespace tnp
