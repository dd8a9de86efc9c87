// Subgraphs: groups of steps that a backend computes in one piece.
//
// Note [Subgraphs] The planner asks a backend which calls of a trace it supports. Connected
// supported calls become a subgraph if nothing else has to run between them (partition.h). The
// planner describes each subgraph to the backend once, and the backend's executor computes it in
// each replay. Values that only the subgraph's own nodes read are no longer arrays of the trace:
// the executor may keep them in any form.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aten/compiler/trace.h"
#include "aten/core/tensor.h"

namespace tnp::compiler {

struct Subgraph {
  struct Value {
    View view;        // shape, strides, dtype
    Tensor constant;  // set if the array is the same in each call
  };
  struct Node {
    std::string op;
    std::vector<ArgumentValue> arguments;  // ViewNumbers are indices into `values`
    std::vector<int> outputs;
  };
  std::vector<Value> values;
  std::vector<Node> nodes;  // topologically sorted
  // Values that the subgraph receives, and values that steps outside of it read.
  std::vector<int> inputs, outputs;
};

// Computes a subgraph. Several threads may call run() at once.
class Executor {
 public:
  virtual ~Executor() = default;
  // Results are allocated, and contiguous unless the subgraph's outputs are not.
  virtual void run(TensorList inputs, TensorList outputs) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;
  // The nodes that it supports, of all that could be part of a subgraph.
  virtual std::vector<bool> supported(const Subgraph& all) const = 0;
  // May return null: the engine then runs these nodes.
  virtual std::unique_ptr<Executor> executor(const Subgraph& subgraph) const = 0;
};

// The name of the backend that computes the step; null if the engine does.
TNP_API const char* backend_of(const Step& step);

// A pass of plan().
TNP_API void replace_subgraphs(Trace& trace, const Backend& backend);

}  // namespace tnp::compiler
