// What folds have in common on all devices. Their operands are brought to rows: what is combined comes first, densely.
#pragma once

#include <vector>

#include "aten/kernels/fold.h"
#include "aten/ops/fold.h"

namespace tnp {

namespace folding {

// A row-major copy of `t` in `dtype`, with `first` as leading axes and the others behind, in order.
Tensor rows_of(const Tensor& t, const DimVector& first, ScalarType dtype);
// `rows`, whose first axis is axis `dim` of a tensor of `sizes`, seen as that tensor.
Tensor axis_first_to(const Tensor& rows, IntList sizes, int64_t dim);
// A mask in the shape of what it is for.
Tensor expand_to(const Tensor& t, IntList sizes);
// `values` as the result, in `dtype` or in `out`.
Tensor into(const Tensor& out, const Tensor& values, ScalarType dtype, const char* op);

// Fills `total`, in the dtype that the loop computes in, with `initial` as an element of the result's dtype.
void begin_with(const Tensor& total, const Scalar& initial, ScalarType result);

// Which axes are reduced, how many rows and columns that makes, and the result's shape. Raises Value where there is
// nothing to begin with.
struct Reduction {
  DimVector axes, shown;
  int64_t rows = 1, columns = 1;
  Reduction(const char* op, const Tensor& input, const OptIntList& dim, bool keepdim, bool has_initial, bool masked);
};

// The check of the operator (`check:` in the yaml) for what a fold takes as right operands: `rows`, of those that
// `mask` selects, if it is defined.
void check_right_operands(const PointwiseOp& op, const Tensor& rows, const Tensor& mask = {});
// The same for a reduction of all `values`, whose first row is a left operand, unless there is an initial value.
void check_reduction(const PointwiseOp& op, const Reduction& r, const Tensor& values, const Tensor& mask,
                     bool has_initial);
// The same for segments of `rows`, whose first rows are left operands only.
void check_segments(const PointwiseOp& op, const Tensor& rows, const std::vector<FoldSegment>& segments);

// From each start to the next one, or a single element, of n.
std::vector<FoldSegment> longest_first(IntList starts, int64_t n);

}  // namespace folding

// The same functions as in fold.h, on devices that kernels are launched on.
Tensor fold_by_launches(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                        std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                        const Tensor& out, FoldOrder order);
Tensor fold_running_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                std::optional<ScalarType> dtype, const Tensor& out, FoldOrder order);
Tensor fold_segments_by_launches(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                                 std::optional<ScalarType> dtype, FoldOrder order);

}  // namespace tnp
