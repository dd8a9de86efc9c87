// Matrix products in a trace: planned in advance, and small independent ones batched.
#pragma once

#include <memory>

#include "aten/compiler/tracer.h"

namespace tnp::compiler {

// Makes a step for a traced matmul(). Returns `step` itself if there is no such step.
std::unique_ptr<Step> product_step(const Trace& trace, std::unique_ptr<Step> step);

// Chooses the fastest of the algorithms that give the same bits, for each product.
void measure_products(Trace& trace);

// Note [Batched products] A second thread does not speed up a product of a few microseconds, but it
// can compute another product. Small independent products, such as the two of a layer's
// backward pass, become one step, whose threads take one product after another. Each product is
// computed as it would be alone. The batch replaces the first of its products, so steps in between
// must not change operands of the later ones.
void batch_products(Trace& trace);

}  // namespace tnp::compiler
