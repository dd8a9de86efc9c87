// Which steps of a record must run before which.
#pragma once

#include <vector>

#include "aten/compiler/partition.h"
#include "aten/compiler/record.h"

namespace tnp::compiler {

// By view: the first one that is equal to it.
TNP_API std::vector<int> first_of_equal_views(const Record& record);

// By the memory that steps read and write, in the order of random draws, and looks before what others see. `first`: of
// first_of_equal_views(). No node is supported yet.
TNP_API DependencyGraph dependencies(const Record& record, const std::vector<int>& first);

}  // namespace tnp::compiler
