#pragma once

#include <vector>

#include "aten/compiler/record.h"

namespace tnp::compiler {

class AllocatingStep : public Step {
 public:
  std::vector<int> allocates;  // of what it writes, that which Frame::allocate() gives the memory of
};

}  // namespace tnp::compiler
