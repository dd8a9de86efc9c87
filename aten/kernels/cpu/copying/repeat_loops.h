// Elements repeated equally often, and lines again and again: compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

struct RepeatLoop {
  // Writes from[0] `times` times, then from[1] and so on, n elements in all.
  void (*repeat)(const void* from, int64_t n, int64_t times, void* to);
  // Writes n elements: those of a line of `length`, from its `first` on, again and again. `to` is none of the line's.
  void (*tile)(const void* line, int64_t length, int64_t first, int64_t n, void* to);
};

namespace repeat_loops {
// One for elements of 1, 2, 4, 8 and 16 bytes each.
TNP_DECLARE_LOOPS(RepeatLoop, loops)
TNP_API const LoopVariants<RepeatLoop>& variants();
// The one for the processor at hand.
const RepeatLoop& of(int64_t bytes_of_an_element);
}  // namespace repeat_loops

}  // namespace tnp
