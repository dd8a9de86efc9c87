// reduce, accumulate and at for ufuncs without a dedicated reduction operator, used while gradients
// are recorded. They are composed of calls of the ufunc, which autograd can differentiate.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Whether a fold of `t` with the initial value `initial` must be recorded for gradients.
bool fold_requires_grad(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type,
                        const Tensor& initial = {});

// Same result as fold(). `start`: the initial value or the identity. If it is undefined, the fold
// starts with the first element. `must_start`: whether `start` is always included, as the value of
// initial= is.
Tensor differentiable_reduce(const UfuncRow& row, const Tensor& t, const OptIntList& dim, bool keepdim,
                             const Tensor& start, bool must_start, const Tensor& where, bool associative);
Tensor differentiable_accumulate(const UfuncRow& row, const Tensor& t, int64_t dim, bool associative);
// a[...] = op(a[...], b) for each of `places`, positions in C order; a position that occurs several
// times is updated once per occurrence, in order.
void differentiable_at(const UfuncRow& row, const Tensor& a, const Tensor& places, const Tensor& b);

}  // namespace tnp::python
