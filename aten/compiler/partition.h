// Which nodes of a graph may become one. Knows nothing of what they compute.
#pragma once

#include <vector>

#include "aten/core/macros.h"

namespace tnp::compiler {

// Nodes in an order in which they may run.
struct DependencyGraph {
  struct Node {
    bool is_supported = false;
    std::vector<int> inputs;  // earlier nodes whose results it takes, which it may be joined with
    std::vector<int> after;   // earlier nodes that must have run before, and cannot be joined with it
  };
  std::vector<Node> nodes;
};

// All nodes, in an order in which they may run, in groups: supported ones that are connected by their inputs, as large
// as they may become. A group runs in one piece: no path from one of its nodes to another leads outside of it, and so
// none leads from one group to another and back. What is not supported is in a group of its own.
TNP_API std::vector<std::vector<int>> partition(const DependencyGraph& graph);

}  // namespace tnp::compiler
