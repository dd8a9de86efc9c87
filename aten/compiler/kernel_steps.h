// Calls of operators whose kernels can be asked at once, since all that an operator decides follows from geometry: what
// they give lies in the replay's own memory.
#pragma once

#include <memory>
#include <optional>

#include "aten/compiler/recorder.h"
#include "aten/core/dialect.h"
#include "aten/kernels/reduction.h"

namespace tnp::compiler {

// In the place of the call of a reduction, or of matmul() as it is recorded; `call` itself, if there is no such step.
std::unique_ptr<Step> reduction_step(const Record& record, std::unique_ptr<Step> call, Dialect dialect,
                                     const ReductionOp& op, OptIntList dim, bool keepdim,
                                     std::optional<ScalarType> dtype, const ReduceOptions& options);
std::unique_ptr<Step> product_step(const Record& record, std::unique_ptr<Step> call, Recorder& recorder);

// Of ways to multiply that give the same bits, each product takes the fastest one from then on.
void measure_products(Record& record);

}  // namespace tnp::compiler
