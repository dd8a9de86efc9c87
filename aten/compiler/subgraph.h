// Steps that somebody else computes in one piece.
//
// Note [Subgraphs] A backend is asked which calls of a record it supports; connected ones become a subgraph if nothing
// else has to run between them (partition.h). Each subgraph is described to the backend once, when the record is
// planned, and computed by the backend's executor in each replay. What only its own nodes read is no array of the
// record any more: the executor keeps it in whatever form it likes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aten/compiler/description.h"
#include "aten/core/tensor.h"

namespace tnp::compiler {

struct Subgraph {
  struct Value {
    View view;        // shape, strides, dtype
    Tensor constant;  // of an array that is the same in each call; else undefined
  };
  struct Node {
    std::string op;
    std::vector<Attribute> arguments;  // ViewNumbers are numbers of `values`
    std::vector<int> outputs;
    std::string text;
  };
  std::vector<Value> values;
  std::vector<Node> nodes;           // each after those whose outputs it takes
  std::vector<int> inputs, outputs;  // values that it is given, and that others read
};

// Computes a subgraph. Called by several threads at once.
class Executor {
 public:
  virtual ~Executor() = default;
  // Results exist, and are contiguous unless the subgraph's outputs are not.
  virtual void run(TensorList inputs, TensorList outputs) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;
  // Which nodes, of all that can be part of a subgraph, it computes.
  virtual std::vector<bool> supported(const Subgraph& all) const = 0;
  // Null: these nodes run as they are.
  virtual std::unique_ptr<Executor> executor(const Subgraph& subgraph) const = 0;
};

// The backend that computes the step; null: the engine does.
TNP_API const char* backend_of(const Step& step);

// Of plan().
TNP_API void replace_subgraphs(Record& record, const Backend& backend);

}  // namespace tnp::compiler
