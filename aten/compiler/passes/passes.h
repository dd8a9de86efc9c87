// Passes of plan(); its table has their order. Fusion, reductions, products, tiles, subgraphs and
// device kernels have headers of their own.
#pragma once

#include "aten/compiler/views.h"

namespace tnp::compiler {

// Replaces calls by cheaper ones that give the same bits: Note [Rewrite rules].
void rewrite(Trace& r);
// Common-subexpression elimination: keeps the first of several equal steps, if their results are
// indistinguishable to the caller.
void drop_repeated(Trace& r);
// Dead-code elimination. `keeps_errors`: steps that may raise for some values are needed.
void drop_unused(Trace& r, bool keeps_errors);
// Elides copies whose source is not read afterwards: the source becomes the result.
void drop_copies(Trace& r);
// Replaces calls by steps that are planned from geometry alone. lower_loops() follows fusion, for
// pointwise operators that are not fused.
void lower(Trace& r);
void lower_loops(Trace& r);
// Liveness: the steps after which slots are not needed.
void find_last_uses(Trace& r);
// Memory planning: places small results in the replay's arena, if the steps that make them accept an
// output buffer. Free memory in the arena is reused.
void find_places(Trace& r);

}  // namespace tnp::compiler
