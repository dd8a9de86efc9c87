// Partitions of graphs: groups are connected, can run in one piece, and are as large as possible.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "aten/compiler/partition.h"

using tnp::compiler::DependencyGraph;
using tnp::compiler::partition;
using Groups = std::vector<std::vector<int>>;

namespace {

// The position of each node in the order of the groups.
std::vector<size_t> group_of(const Groups& groups, size_t count) {
  std::vector<size_t> at(count, groups.size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (int i : groups[g]) {
      EXPECT_EQ(at[static_cast<size_t>(i)], groups.size()) << i << " stands there twice";
      at[static_cast<size_t>(i)] = g;
    }
  return at;
}

// Checks everything that a partition guarantees except the size of groups.
void check(const DependencyGraph& graph, const Groups& groups) {
  const size_t n = graph.nodes.size();
  const std::vector<size_t> at = group_of(groups, n);
  for (size_t i = 0; i < n; ++i) {
    ASSERT_LT(at[i], groups.size()) << i << " is lost";
    // In the order of groups, every node comes after its inputs. So no cycle between groups is
    // possible.
    for (int e : graph.nodes[i].inputs) EXPECT_LE(at[static_cast<size_t>(e)], at[i]);
    for (int e : graph.nodes[i].after) EXPECT_LT(at[static_cast<size_t>(e)], at[i]);
  }
  for (const std::vector<int>& group : groups) {
    EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
    std::set<int> connected = {group[0]};
    for (size_t round = 0; round < group.size(); ++round)
      for (int i : group)
        for (int e : graph.nodes[static_cast<size_t>(i)].inputs) {
          if (std::find(group.begin(), group.end(), e) == group.end()) continue;
          if (connected.count(i) || connected.count(e)) connected.insert({i, e});
        }
    EXPECT_EQ(connected.size(), group.size());
    if (group.size() > 1)
      for (int i : group) EXPECT_TRUE(graph.nodes[static_cast<size_t>(i)].is_supported);
  }
}

}  // namespace

TEST(Partition, AChainIsOneGroup) {
  const DependencyGraph graph{{{true, {}, {}}, {true, {0}, {}}, {true, {1}, {}}}};
  EXPECT_EQ(partition(graph), (Groups{{0, 1, 2}}));
}

TEST(Partition, WhatIsNotSupportedIsByItself) {
  const DependencyGraph graph{{{true, {}, {}}, {false, {0}, {}}, {true, {1}, {}}, {true, {2}, {}}}};
  EXPECT_EQ(partition(graph), (Groups{{0}, {1}, {2, 3}}));
}

// 1 and 2 read 0, and 3 reads both; 1 runs between 0 and 3.
TEST(Partition, NoPathLeavesAGroupAndComesBack) {
  const DependencyGraph graph{{{true, {}, {}}, {false, {0}, {}}, {true, {0}, {}}, {true, {1, 2}, {}}}};
  EXPECT_EQ(partition(graph), (Groups{{0, 2}, {1}, {3}}));
}

TEST(Partition, NoTwoGroupsWaitForEachOther) {
  // 0 -> x -> 3 and 1 -> y -> 2, where 2 reads 0 and 3 reads 1: the groups {0, 2} and {1, 3} would
  // wait for each other.
  const DependencyGraph graph{
      {{true, {}, {}}, {true, {}, {}}, {false, {0}, {}}, {false, {1}, {}}, {true, {0, 3}, {}}, {true, {1, 2}, {}}}};
  const Groups groups = partition(graph);
  check(graph, groups);
  EXPECT_EQ(groups.size(), 5u);  // one of the pairs is joined
}

TEST(Partition, GroupsAreJoinedByANodeThatTakesBoth) {
  const DependencyGraph graph{{{true, {}, {}}, {true, {}, {}}, {true, {0, 1}, {}}}};
  EXPECT_EQ(partition(graph), (Groups{{0, 1, 2}}));
}

TEST(Partition, WhatMustComeAfterIsNotJoined) {
  const DependencyGraph graph{{{true, {}, {}}, {true, {}, {0}}, {true, {0}, {0}}}};
  EXPECT_EQ(partition(graph), (Groups{{0}, {1}, {2}}));
}

TEST(Partition, RandomGraphsKeepTheirPromises) {
  std::mt19937 random(7);
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  for (int round = 0; round < 300; ++round) {
    DependencyGraph graph;
    const int n = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < n; ++i) {
      DependencyGraph::Node node;
      node.is_supported = chance(0.7);
      for (int e = std::max(0, i - 8); e < i; ++e) {
        if (chance(0.2)) node.inputs.push_back(e);
        if (chance(0.03)) node.after.push_back(e);
      }
      graph.nodes.push_back(node);
    }
    check(graph, partition(graph));
  }
}
