// backward: runs the tape from given roots, later nodes first.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

// Accumulates gradients into the `grad` of every leaf that `roots` depend on (or only of `inputs`, if not empty).
// grads[i]: gradient of roots[i]; undefined is allowed for a root of one element (1). Raises Runtime otherwise
// ("grad can be implicitly created only for scalar outputs"), for a root without history, and for a graph whose saved
// tensors were released by an earlier backward.
TNP_API void backward(TensorList roots, TensorList grads, bool retain_graph, bool create_graph, TensorList inputs = {});

// The gradients of `inputs`, not accumulated anywhere. Raises Runtime if one was not used, unless allow_unused (then it
// is undefined).
TNP_API Tensors grad(TensorList roots, TensorList inputs, TensorList grads, bool retain_graph, bool create_graph,
                     bool allow_unused);

}  // namespace tnp
