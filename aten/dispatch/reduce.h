// One function that plans and runs every reduction on every device.
#pragma once

#include "aten/kernels/reduction.h"

namespace tnp {

// dim: nullopt reduces over all axes. An empty list reduces over none in np, and over all in torch.
// Result shape: input's without `dim`, or with 1s there if keepdim.
TNP_API Tensor reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                      std::optional<ScalarType> dtype = std::nullopt, const ReduceOptions& options = {});

// What reduce() does to a plan whose axes are known: coalesces, orders, and decides about `rows`; `load` and `mask` are
// known by now. Indices matter to some rules: then steps of `out` must coalesce, too.
TNP_API void arrange(struct ReducePlan& plan, ReductionRule rule, int64_t itemsize);

}  // namespace tnp
