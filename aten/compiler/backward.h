// Compiled gradients: traces of the backward pass of a traced function.
//
// Note [Compiled gradients] If the results of a traced function have gradients, tracing leaves
// an autograd tape. The part of the tape that the function made runs once more, under a second
// tracer, from placeholders for the gradients of the results. This gives a backward trace.
// Its arguments are these gradients and the values saved from the function's trace, which a
// forward replay keeps. Its results are the gradients that flow to the histories of the function's
// inputs. They are returned one by one, in the tape's order. Gradients from other uses of an input
// are accumulated in that order too, and the order affects the sum's rounding.
//
// Gradient formulas depend on which gradients are defined (one of two results may be unused), and
// the order in which loops visit elements depends on strides. So there is one backward trace for
// each arrival pattern.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/engine.h"
#include "aten/compiler/plan.h"
#include "aten/compiler/tracer.h"

namespace tnp::compiler {

// Arrival pattern: which results have a gradient, and the memory layout of each.
struct TNP_API Arrival {
  std::vector<std::optional<DimVector>> strides;  // nullopt: no gradient
  static Arrival of(const Tensors& gradients);
  // A row-major gradient for each result.
  static Arrival dense(TensorList results);
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// An array of a call that is saved for the backward pass: made by the function, or from before the
// call.
struct Saved {
  int slot;  // of the function's trace
  // If made by the function: a view that begins at the slot's start, and whether the caller may see
  // and change it.
  int view = -1;
  bool is_shared = false;
  // If from before the call: the index of the argument, or the array from outside, and the geometry
  // that it must still have.
  int argument = -1;
  Tensor outside;
  DimVector sizes, strides;
  ScalarType dtype = ScalarType::Float32;
};

// A backward trace for one arrival pattern. Its arguments are the gradients, then the saved
// arrays.
struct Backward {
  Arrival arrival;
  Trace trace;
  std::vector<size_t> saved;  // indices into Gradients::saved
  struct Result {
    size_t input;
    int view;
    bool is_copied;  // the trace keeps its memory, so it must be copied
    // It is a view that counts as contiguous but has unusual strides along axes of size one. Code
    // that copies views but adopts other arrays must treat it as a view.
    bool is_view;
  };
  std::vector<Result> results;  // in the order they are returned
};

// All backward traces of one trace of a function.
struct TNP_API Gradients {
  std::vector<Saved> saved;
  std::vector<Backward> backwards;
  // For each edge of the node that stands for the function: the index of the input.
  std::vector<size_t> edges;
  // Whether a replay may meet a failing guard.
  bool looks() const;
  bool is_released = false;  // the function ran the backward pass itself and freed the graph
};

// Traces the gradients of the function that `function` has just traced into `trace`, which must
// not be planned yet. `inputs`: the edges that receive gradients. `first`: sequence number of the
// first node that the function may have made. `look`: called with every node; returns a reason why
// it cannot be replayed, or null. `options`: for planning the backward traces. Marks the arrays
// that the forward trace must keep. Calls fail() on `function` if the gradients cannot be
// replayed.
TNP_API Gradients trace_gradients(Tracer& function, Trace& trace, TensorList results, const std::vector<Edge>& inputs,
                                  uint64_t first, const std::vector<Arrival>& arrivals, const PlanOptions& options,
                                  const std::function<const char*(const Node&)>& look);

// Inserts a node between these arrays, which become its outputs, and the nodes that made them.
TNP_API void put_behind(const intrusive_ptr<Node>& node, TensorList arrays);

}  // namespace tnp::compiler
