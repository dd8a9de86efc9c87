// Folds of dense rows with an operator's own loop, for ufuncs without a dedicated reduction.
#pragma once

#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/fold.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// All tensors are contiguous and of the loop's dtype. The rows are along their first axes, each
// with as many elements as `total`. Computes total = total op row for each of `rows`; unless
// `begun`, total starts as the first row. If `mask` is defined, elements of `rows` where it is
// false are skipped.
void fold_rows_cpu(const PointwiseLoop& loop, double cost, const Tensor& rows, const Tensor& mask, const Tensor& total,
                   bool begun);
// rows[k] = rows[k - 1] op rows[k]. Rounds each value to the dtype `result` between two calls of
// the operator. This matters for float16, whose loops compute in float32.
void fold_running_cpu(const PointwiseLoop& loop, const Tensor& rows, ScalarType result);
// Each row of `out` is the fold of its segment of `rows`. The longest segment comes first.
void fold_segments_cpu(const PointwiseLoop& loop, const Tensor& rows, const std::vector<FoldSegment>& segments,
                       const Tensor& out);

}  // namespace tnp
