// reduce, accumulate and at of ufuncs while gradients are recorded, for those that have no operator of their own for
// it: made of calls of the ufunc, whose derivative is known.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Whether the ufunc's results of such operands have gradients that anybody wants.
bool records_fold(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type, const Tensor& initial = {});

// What fold() gives. `start`: the initial value or the identity; undefined: the first element. `must_start`: whether
// that counts in any case, as initial= does.
Tensor reduce_recorded(const UfuncRow& row, const Tensor& t, const OptIntList& dim, bool keepdim, const Tensor& start,
                       bool must_start, const Tensor& where, bool associative);
Tensor accumulate_recorded(const UfuncRow& row, const Tensor& t, int64_t dim, bool associative);
// a[...] = op(a[...], b) for each of `places`, which count elements in C order; repeated ones one after the other.
void at_recorded(const UfuncRow& row, const Tensor& a, const Tensor& places, const Tensor& b);

}  // namespace tnp::python
