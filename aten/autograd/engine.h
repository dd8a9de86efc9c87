// Backward pass: runs the tape from given roots, later nodes first.
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

// A lower bound of the next node's sequence number.
TNP_API uint64_t next_sequence_nr();

// A gradient that flows from one part of a graph to another.
struct Departure {
  Edge edge;
  Tensor grad;
};

// Runs only the nodes that `roots` depend on and that have a sequence number of at least `first`.
// grads[i] is the gradient of roots[i] (undefined: none). Returns the gradients that flow to older
// nodes and to leaves, which do not run. They are listed one by one in order, since they may be
// accumulated with gradients from other nodes. Saved tensors are not released. `look`, if set, is
// called with each of the nodes before the first one runs.
TNP_API std::vector<Departure> gradients_within(uint64_t first, TensorList roots, Tensors&& grads, bool create_graph,
                                                const std::function<void(const Node&)>& look = {});

}  // namespace tnp
