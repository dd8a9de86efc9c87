// Loops that repeat elements equally often (repeat_interleave) or repeat a line (tile), compiled
// for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

struct RepeatLoop {
  // Writes from[0] `times` times, then from[1] and so on, for n elements of `from`.
  void (*repeat)(const void* from, int64_t n, int64_t times, void* to);
  // Writes n elements: the line of `length` elements again and again, starting at element `first`.
  // `to` does not alias the line.
  void (*tile)(const void* line, int64_t length, int64_t first, int64_t n, void* to);
};

namespace repeat_loops {
// One each for elements of 1, 2, 4, 8 and 16 bytes.
TNP_DECLARE_LOOPS(RepeatLoop, loops)
TNP_API const LoopVariants<RepeatLoop>& variants();
// The loop of this processor for elements of that many bytes.
const RepeatLoop& of(int64_t bytes_of_an_element);
}  // namespace repeat_loops

}  // namespace tnp
