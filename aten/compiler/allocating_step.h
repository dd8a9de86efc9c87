#pragma once

#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

class AllocatingStep : public Step {
 public:
  std::vector<int> allocates;  // those of its writes whose memory Frame::allocate() provides
};

}  // namespace tnp::compiler
