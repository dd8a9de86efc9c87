// Checks whether all numbers of an array are finite, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// Tests x[0, n). May return false for finite numbers whose sum overflows; a caller that needs the
// exact answer then checks each number.
struct FiniteLoops {
  bool (*floats)(const float* x, int64_t n);
  bool (*doubles)(const double* x, int64_t n);
};

namespace finite_loops {
TNP_DECLARE_LOOPS(FiniteLoops, loops)
}  // namespace finite_loops

}  // namespace tnp
