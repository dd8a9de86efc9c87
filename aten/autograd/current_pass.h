// What the backward pass of this thread does at the moment.
#pragma once

#include <cstdint>

#include "aten/autograd/node.h"

namespace tnp {

struct CurrentPass {
  int64_t id = -1;       // counts passes; -1 outside of one
  Node* node = nullptr;  // that runs, with its hooks; null between nodes
  bool retains_graph = false;
};
// Of the innermost pass.
TNP_API CurrentPass current_pass();

}  // namespace tnp
