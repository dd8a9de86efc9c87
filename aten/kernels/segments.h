// ufunc.reduceat for any binary operator. See fold() in pointwise.h for whole axes.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

// Folds, for each of `starts`, from there along `dim` to the next one, or a single element if that is not behind it.
TNP_API Tensor fold_segments(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts, std::optional<ScalarType> dtype);

}  // namespace tnp
