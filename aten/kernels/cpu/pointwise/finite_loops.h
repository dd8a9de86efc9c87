// Whether all of many numbers are finite: compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// Of x[0, n), floats or doubles. False also for numbers so large that their sum is not finite: who wants to know it
// exactly looks at them one by one then.
struct FiniteLoops {
  bool (*floats)(const float* x, int64_t n);
  bool (*doubles)(const double* x, int64_t n);
};

namespace finite_loops {
TNP_DECLARE_LOOPS(FiniteLoops, loops)
}  // namespace finite_loops

}  // namespace tnp
