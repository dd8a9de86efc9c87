// Helpers that folds share on all devices. A fold copies its operand to dense rows, with the folded
// axes first.
#pragma once

#include <vector>

#include "aten/kernels/fold.h"
#include "aten/ops/fold.h"

namespace tnp {

namespace folding {

// A row-major copy of `t` in `dtype`, with the axes `first` as leading axes and the others behind,
// in order.
Tensor rows_of(const Tensor& t, const DimVector& first, ScalarType dtype);
// Views `rows`, whose first axis is axis `dim` of a tensor of `sizes`, as that tensor.
Tensor axis_first_to(const Tensor& rows, IntList sizes, int64_t dim);
// Broadcasts a mask to `sizes`.
Tensor expand_to(const Tensor& t, IntList sizes);
// Returns `values` as the result, in `dtype` or in `out`.
Tensor into(const Tensor& out, const Tensor& values, ScalarType dtype, const char* op);

// Fills `total`, which has the loop's dtype, with `initial`, converted like an element of the
// result's dtype.
void begin_with(const Tensor& total, const Scalar& initial, ScalarType result);

// Geometry of a reduction: the reduced axes, the number of rows and columns, and the result's
// shape. The constructor raises Value if there is neither an element nor an initial value.
struct Reduction {
  DimVector axes, shown;
  int64_t rows = 1, columns = 1;
  Reduction(const char* op, const Tensor& input, const OptIntList& dim, bool keepdim, bool has_initial, bool masked);
};

// Calls the operator's check (`check:` in the yaml) on the right operands of a fold: `rows`, or
// those selected by `mask`, if it is defined.
void check_right_operands(const PointwiseOp& op, const Tensor& rows, const Tensor& mask = {});
// The same for a reduction of all `values`, whose first row is a left operand unless there is an
// initial value.
void check_reduction(const PointwiseOp& op, const Reduction& r, const Tensor& values, const Tensor& mask,
                     bool has_initial);
// The same for segments of `rows`, whose first rows are left operands only.
void check_segments(const PointwiseOp& op, const Tensor& rows, const std::vector<FoldSegment>& segments);

// Segments of n rows: from each start to the next one, or a single row. Sorted by length, the
// longest first.
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
