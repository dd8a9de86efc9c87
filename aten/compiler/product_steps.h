// Products of matrices in a record: planned with it, and those that do not need each other together.
#pragma once

#include <memory>

#include "aten/compiler/recorder.h"

namespace tnp::compiler {

// In the place of matmul() as it is recorded; `call` itself, if there is no such step.
std::unique_ptr<Step> product_step(const Record& record, std::unique_ptr<Step> call, Recorder& recorder);

// Of ways to multiply that give the same bits, each product takes the fastest one from then on.
void measure_products(Record& record);

// Note [Batched products] A second thread saves nothing on a product of a few microseconds, but it may compute another
// one meanwhile. Small products of which none needs another's result, as the two of a layer's backward pass, become one
// step, whose threads take one product after the other; each product is computed as it would be alone. They take the
// place of the first of them: what lies between must not change what the later ones read.
void batch_products(Record& record);

}  // namespace tnp::compiler
