// Graph partitioning: finds the groups of nodes that may be merged into one node. Independent of
// the nodes' meaning.
#pragma once

#include <vector>

#include "aten/core/macros.h"

namespace tnp::compiler {

// Nodes in topological order.
struct DependencyGraph {
  struct Node {
    bool is_supported = false;
    std::vector<int> inputs;  // earlier nodes whose results it reads; it may be merged with them
    std::vector<int> after;   // earlier nodes that must run first, and cannot be merged with it
  };
  std::vector<Node> nodes;
};

// Partitions all nodes into groups, in topological order. Supported nodes that are connected by
// inputs form maximal groups. A group can run in one piece: no path between two of its nodes leads
// outside of it, so the graph of groups has no cycle. An unsupported node is a group of its own.
TNP_API std::vector<std::vector<int>> partition(const DependencyGraph& graph);

}  // namespace tnp::compiler
