// Helpers that folds share on all devices. A fold copies its operand to dense rows, with the folded
// axes first.
#pragma once

#include <vector>

#include "aten/kernels/fold.h"
#include "aten/ops/reduction/fold.h"

namespace tnp {

namespace folding {

// A row-major copy of `t` in `dtype`, with permuted axes: the axes listed in `first` come first,
// and the remaining axes follow in order.
Tensor rows_of(const Tensor& t, const DimVector& first, ScalarType dtype);
// Returns a view of `rows` whose shape is `sizes`. The first axis of `rows` becomes axis `dim`.
Tensor axis_first_to(const Tensor& rows, IntList sizes, int64_t dim);
// Broadcasts a mask to `sizes`.
Tensor expand_to(const Tensor& t, IntList sizes);
// Copies `values` to `out` if it is defined and returns `out`. Otherwise returns `values` cast to
// `dtype`.
Tensor into(const Tensor& out, const Tensor& values, ScalarType dtype, const char* op);

// Fills `total`, which has the loop's dtype, with `initial`. In a dialect with
// initial_is_cast_to_result(), `initial` is first cast to the result's dtype `result`.
void begin_with(const Tensor& total, const Scalar& initial, ScalarType result);

// Geometry of a reduction: the reduced axes, the number of rows and columns, and the result's
// shape. The constructor raises Value if a reduction of zero elements has no initial value.
struct Reduction {
  DimVector axes, shown;
  int64_t rows = 1, columns = 1;
  Reduction(const char* op, const Tensor& input, const OptIntList& dim, bool keepdim, bool has_initial, bool masked);
};

// Calls the operator's check (`check:` in the yaml) on the right operands of a fold. They are
// `rows`, or the elements of `rows` where `mask` is true if it is defined.
void check_right_operands(const PointwiseOp& op, const Tensor& rows, const Tensor& mask = {});
// Same as check_right_operands() for a reduction of `values`. Without an initial value, the first
// row is a left operand and is not checked.
void check_reduction(const PointwiseOp& op, const Reduction& r, const Tensor& values, const Tensor& mask,
                     bool has_initial);
// Same as check_right_operands() for segments of `rows`. The first row of each segment is a left
// operand and is not checked.
void check_segments(const PointwiseOp& op, const Tensor& rows, const std::vector<FoldSegment>& segments);

// Splits n rows into segments as fold_segments() does, and sorts the segments by length, longest
// first.
std::vector<FoldSegment> longest_first(IntList starts, int64_t n);

}  // namespace folding

// The functions of fold.h for devices with kernel launches.
Tensor fold_by_launches(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                        std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                        const Tensor& out, FoldOrder order);
Tensor fold_running_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                std::optional<ScalarType> dtype, const Tensor& out, FoldOrder order);
Tensor fold_segments_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                                 std::optional<ScalarType> dtype, FoldOrder order);

}  // namespace tnp
