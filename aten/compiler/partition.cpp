#include "aten/compiler/partition.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace tnp::compiler {

namespace {

// The graph whose nodes are groups. It never has a cycle.
class Groups {
 public:
  explicit Groups(const DependencyGraph& graph) : graph_(graph), group_(graph.nodes.size()), members_(group_.size()) {
    std::iota(group_.begin(), group_.end(), 0);
    later_.resize(group_.size());
    for (size_t i = 0; i < group_.size(); ++i) {
      members_[i] = {static_cast<int>(i)};
      for (const auto* earlier : {&graph.nodes[i].inputs, &graph.nodes[i].after})
        for (int e : *earlier) later_[static_cast<size_t>(e)].push_back(static_cast<int>(i));
    }
  }

  // Merges the group of `node` with the group of one of its inputs, unless something must run
  // between them.
  void join(int input, int node) {
    const int from = of(input), to = of(node);
    if (from == to || must_be_apart(from, to) || is_path_around(from, to)) return;
    for (int m : members(to)) group_[static_cast<size_t>(m)] = from;
    auto& all = members_[static_cast<size_t>(from)];
    all.insert(all.end(), members(to).begin(), members(to).end());
    members_[static_cast<size_t>(to)].clear();
  }

  // The groups in topological order. Among groups that are ready, the one with the earliest node
  // comes first.
  std::vector<std::vector<int>> in_order() {
    const size_t n = group_.size();
    std::vector<int> waits(n);
    for (size_t i = 0; i < n; ++i)
      for (int l : later_[i])
        if (of(l) != group_[i]) ++waits[static_cast<size_t>(of(l))];
    for (std::vector<int>& members : members_) std::sort(members.begin(), members.end());
    using Ready = std::pair<int, int>;  // first node; group
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto may_run = [&](int g) { ready.emplace(members(g).front(), g); };
    for (size_t g = 0; g < n; ++g)
      if (!members_[g].empty() && waits[g] == 0) may_run(static_cast<int>(g));
    std::vector<std::vector<int>> order;
    while (!ready.empty()) {
      const int g = ready.top().second;
      ready.pop();
      order.push_back(members(g));
      for (int m : members(g))
        for (int l : later_[static_cast<size_t>(m)])
          if (of(l) != g && --waits[static_cast<size_t>(of(l))] == 0) may_run(of(l));
    }
    return order;
  }

 private:
  int of(int node) const { return group_[static_cast<size_t>(node)]; }
  const std::vector<int>& members(int group) const { return members_[static_cast<size_t>(group)]; }

  bool must_be_apart(int from, int to) const {
    for (int m : members(to))
      for (int e : graph_.nodes[static_cast<size_t>(m)].after)
        if (of(e) == from) return true;
    return false;
  }
  // Whether a path from one group to the other leads through a third.
  bool is_path_around(int from, int to) const {
    std::vector<bool> seen(group_.size());
    std::vector<int> open;
    const auto visit = [&](int group) {
      if (!seen[static_cast<size_t>(group)]) open.push_back(group);
      seen[static_cast<size_t>(group)] = true;
    };
    seen[static_cast<size_t>(from)] = true;
    for (int m : members(from))
      for (int l : later_[static_cast<size_t>(m)])
        if (of(l) != to) visit(of(l));
    while (!open.empty()) {
      const int g = open.back();
      open.pop_back();
      for (int m : members(g))
        for (int l : later_[static_cast<size_t>(m)]) {
          if (of(l) == to) return true;
          visit(of(l));
        }
    }
    return false;
  }

  const DependencyGraph& graph_;
  std::vector<int> group_;                 // per node
  std::vector<std::vector<int>> members_;  // per group
  std::vector<std::vector<int>> later_;    // per node: nodes that depend on it
};

}  // namespace

std::vector<std::vector<int>> partition(const DependencyGraph& graph) {
  Groups groups(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].is_supported) continue;
    for (int input : graph.nodes[i].inputs)
      if (graph.nodes[static_cast<size_t>(input)].is_supported) groups.join(input, static_cast<int>(i));
  }
  return groups.in_order();
}

}  // namespace tnp::compiler
