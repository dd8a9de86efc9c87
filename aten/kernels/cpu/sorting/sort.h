// Sorting and partitioning of all lines along an axis.
#pragma once

#include "aten/core/tensor.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

// Sorts in place. `stable` matters only for equal values with different bits: -0.0 and 0.0, and
// NaNs.
void sort_lines(const Tensor& values, int64_t axis, bool descending, bool stable);
// indices: int64, with the shape of `input`. Stable.
void argsort_lines(const Tensor& input, const Tensor& indices, int64_t axis, bool descending);
// Sorts the existing permutations in `indices` by `keys`, stably.
void reorder_lines(const Tensor& keys, const Tensor& indices, int64_t axis);
// values = input[indices] along `axis`.
void gather_lines(const Tensor& input, const Tensor& indices, const Tensor& values, int64_t axis);
// `kth`: the positions to partition at, ascending and in bounds.
void partition_lines(const Tensor& values, int64_t axis, IntList kth);
void argpartition_lines(const Tensor& input, const Tensor& indices, int64_t axis, IntList kth);

}  // namespace tnp
