// Folds by an operator's own loop: dense rows, one after the other.
#pragma once

#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/fold.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// All tensors are contiguous and of the loop's dtype, the rows along their first axes: as many elements as `total` has.
// total = total op row for each of `rows`; if it has not `begun`, total is the first of them. `mask`, if defined, says
// of each element of `rows` whether it counts.
void fold_rows_cpu(const PointwiseLoop& loop, double cost, const Tensor& rows, const Tensor& mask, const Tensor& total,
                   bool begun);
// rows[k] = rows[k - 1] op rows[k], each rounded to `result`, which elements go through between two calls of the
// operator (float16, of which loops compute in float32).
void fold_running_cpu(const PointwiseLoop& loop, const Tensor& rows, ScalarType result);
// Each row of `out` is what its segment of `rows` comes to. The longest segment is first.
void fold_segments_cpu(const PointwiseLoop& loop, const Tensor& rows, const std::vector<FoldSegment>& segments,
                       const Tensor& out);

}  // namespace tnp
