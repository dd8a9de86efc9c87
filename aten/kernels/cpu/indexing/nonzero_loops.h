// Where numbers are that are not zero, of numbers side by side: compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

struct NonzeroLoops {
  // How many of v[0, n) are not zero.
  int64_t (*count)(const void* v, int64_t n);
  // Writes their places, from `first` on, to `to`, at most `room` of them and nothing beyond. Returns how many.
  int64_t (*places)(const void* v, int64_t n, int64_t first, int64_t* to, int64_t room);
};

namespace nonzero_loops {
// One for each dtype, in their order.
TNP_DECLARE_LOOPS(NonzeroLoops, loops)
}  // namespace nonzero_loops

}  // namespace tnp
