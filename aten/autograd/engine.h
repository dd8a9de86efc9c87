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

// What the next node that is made will have at least.
TNP_API uint64_t next_sequence_nr();

// A gradient on its way from one part of a graph to another.
struct Departure {
  Edge edge;
  Tensor grad;
};

// Runs only those nodes that roots[i], whose gradients are grads[i] (undefined: none), depend on, and that were made
// from number `first` on. Gives what leaves them for older nodes and for leaves, which do
// not run: one by one and in order, since a sum of several depends on what else arrives there. Nothing is released.
// `look`, if there is one, is called with each of the nodes before the first one runs.
TNP_API std::vector<Departure> gradients_within(uint64_t first, TensorList roots, Tensors&& grads, bool create_graph,
                                                const std::function<void(const Node&)>& look = {});

}  // namespace tnp
