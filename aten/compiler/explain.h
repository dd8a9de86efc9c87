// What becomes of the steps of a record when they are replayed, for people.
#pragma once

#include <string>
#include <vector>

#include "aten/compiler/record.h"

namespace tnp::compiler {

struct ExplainedStep {
  const Step* step;
  int group = -1;      // number of the group that is computed together, in blocks of elements; -1: by itself
  std::string reason;  // why it is by itself ("a reduction"); empty: its neighbours are no such steps
  int tiles = -1;      // number of the step that does it for a tile of rows after the other, with others; -1: of none
};

// The record's steps in their order, those of blocks one by one.
TNP_API std::vector<ExplainedStep> explain(const Record& record);

}  // namespace tnp::compiler
