// What becomes of the steps of a record when they are replayed, for people.
#pragma once

#include <string>
#include <vector>

#include "aten/compiler/record.h"

namespace tnp::compiler {

// Why the step is not computed together with others ("a reduction"); empty: it is, as far as its neighbours are, too.
TNP_API std::string why_not_fused(const Record& record, const Step& step);

// By step: the number of the group that is computed together, in blocks of elements; -1: none.
TNP_API std::vector<int> fused_groups(const Record& record);

}  // namespace tnp::compiler
