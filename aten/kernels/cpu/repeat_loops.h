// Elements repeated equally often: compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/capability.h"

namespace tnp {

struct RepeatLoop {
  // Writes from[0] `times` times, then from[1] and so on, n elements in all.
  void (*repeat)(const void* from, int64_t n, int64_t times, void* to);
};

namespace repeat_loops {
// One for elements of 1, 2, 4, 8 and 16 bytes each.
TNP_DECLARE_LOOPS(RepeatLoop, loops)
}  // namespace repeat_loops

}  // namespace tnp
