// Dependency graph of a trace's steps.
#pragma once

#include <vector>

#include "aten/compiler/partition.h"
#include "aten/compiler/trace.h"

namespace tnp::compiler {

// Orders steps by the memory they read and write and by random draws, and places guards before
// visible effects. `first`: from first_of_equal_views() in views.h. No node is marked as supported yet.
TNP_API DependencyGraph dependencies(const Trace& trace, const std::vector<int>& first);

}  // namespace tnp::compiler
