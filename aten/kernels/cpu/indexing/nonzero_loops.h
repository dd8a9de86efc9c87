// Loops that count and locate nonzero elements of contiguous arrays, compiled for each instruction
// set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

struct NonzeroLoops {
  // Returns the number of nonzero elements in v[0, n).
  int64_t (*count)(const void* v, int64_t n);
  // Writes the indices of nonzero elements, counted from `first`, to `to`. Writes at most `room`
  // indices and nothing beyond. Returns the number written.
  int64_t (*places)(const void* v, int64_t n, int64_t first, int64_t* to, int64_t room);
};

namespace nonzero_loops {
// One entry for each dtype, in the order of ScalarType.
TNP_DECLARE_LOOPS(NonzeroLoops, loops)
}  // namespace nonzero_loops

}  // namespace tnp
