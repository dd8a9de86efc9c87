// reduce, accumulate and at of ufuncs without an operator for it, while gradients are recorded.
// They consist of calls of the ufunc, which autograd can differentiate.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Whether the fold of such operands must be recorded for a gradient.
bool records_fold(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type, const Tensor& initial = {});

// Same result as fold(). `start`: the initial value or the identity; undefined: the first element.
// `must_start`: whether `start` is always included, as initial= is.
Tensor reduce_recorded(const UfuncRow& row, const Tensor& t, const OptIntList& dim, bool keepdim, const Tensor& start,
                       bool must_start, const Tensor& where, bool associative);
Tensor accumulate_recorded(const UfuncRow& row, const Tensor& t, int64_t dim, bool associative);
// a[...] = op(a[...], b) for each of `places`, positions in C order; repeated positions are applied
// in sequence.
void at_recorded(const UfuncRow& row, const Tensor& a, const Tensor& places, const Tensor& b);

}  // namespace tnp::python
