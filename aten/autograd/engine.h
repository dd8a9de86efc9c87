// Backward pass: runs the tape from given roots, later nodes first.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

// Accumulates gradients into the `grad` of every leaf that `roots` depend on. If `inputs` is not
// empty, accumulates only into these tensors. grads[i] is the gradient of roots[i]. An undefined
// grads[i] stands for 1 if roots[i] is real and has one element. For any other root it raises
// Runtime ("grad can be implicitly created only for scalar outputs"). Also raises Runtime for a
// root without history, and for a graph whose saved tensors were released by an earlier backward.
TNP_API void backward(TensorList roots, TensorList grads, bool retain_graph, bool create_graph, TensorList inputs = {});

// Returns the gradients of `inputs` and leaves their `grad` unchanged. The gradient of an input
// that `roots` do not depend on is undefined if allow_unused is set; otherwise it raises Runtime.
TNP_API Tensors grad(TensorList roots, TensorList inputs, TensorList grads, bool retain_graph, bool create_graph,
                     bool allow_unused);

// The gradients of a node's inputs, given one gradient per output: its formula alone, without hooks. Empty if all of
// `grads` are undefined.
TNP_API Tensors call_node(Node& node, Tensors&& grads);

// Whether the backward pass that this thread executes calls the node, or returns a gradient that arrives at it. Raises
// Runtime outside of a backward pass, and for a leaf whose gradient grad() returns.
TNP_API bool will_execute(const Node& node);

// Returns a lower bound of the sequence number that the next node will get.
TNP_API uint64_t next_sequence_nr();

// A gradient that leaves the part of a graph that gradients_within() runs.
struct Departure {
  Edge edge;
  Tensor grad;
};

// Runs only the nodes that `roots` depend on and that have a sequence number of at least `first`.
// grads[i] is the gradient of roots[i]; a root with an undefined gradient is skipped. Returns the
// gradients that flow to older nodes and to leaves, which do not run. Two gradients of the same
// edge are two entries, in the order of their computation: the caller may have to accumulate them
// with gradients from other nodes. Saved tensors are not released. `look`, if set, is called with
// each of the nodes before the first one runs.
TNP_API std::vector<Departure> gradients_within(uint64_t first, TensorList roots, Tensors&& grads, bool create_graph,
                                                const std::function<void(const Node&)>& look = {});

}  // namespace tnp
