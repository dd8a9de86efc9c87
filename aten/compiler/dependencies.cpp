#include "aten/compiler/dependencies.h"

#include "aten/compiler/views.h"

namespace tnp::compiler {

DependencyGraph dependencies(const Trace& r, const std::vector<int>& first) {
  struct Uses {
    int writer = -1;
    int written = -1;          // the view it wrote
    std::vector<int> readers;  // since the last write
  };
  DependencyGraph graph;
  std::vector<Uses> of_slots(r.slots.size());
  std::vector<int> looks, draws;
  const auto slot_of = [&](int v) { return static_cast<size_t>(r.views[static_cast<size_t>(v)].slot); };
  for (size_t i = 0; i < r.steps.size(); ++i) {
    const Step& s = *r.steps[i];
    const auto self = static_cast<int>(i);
    DependencyGraph::Node& node = graph.nodes.emplace_back();
    for (int v : s.reads) {
      const Uses& u = of_slots[slot_of(v)];
      if (u.writer < 0) continue;
      // A different view of the written memory is not the output of a node.
      const bool is_result = first[static_cast<size_t>(u.written)] == first[static_cast<size_t>(v)];
      (is_result ? node.inputs : node.after).push_back(u.writer);
    }
    for (int v : s.writes) {
      const Uses& u = of_slots[slot_of(v)];
      if (u.writer >= 0) node.after.push_back(u.writer);
      node.after.insert(node.after.end(), u.readers.begin(), u.readers.end());
    }
    if (has_effect(r, s)) node.after.insert(node.after.end(), looks.begin(), looks.end());
    if (s.draws) node.after.insert(node.after.end(), draws.begin(), draws.end());
    if (s.looks) looks.push_back(self);
    if (s.draws) draws = {self};
    for (int v : s.reads) of_slots[slot_of(v)].readers.push_back(self);
    for (int v : s.writes) of_slots[slot_of(v)] = {self, v, {}};
  }
  return graph;
}

}  // namespace tnp::compiler
