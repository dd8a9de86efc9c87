// The update rules of optimisers over dense arrays, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/capability.h"

namespace tnp {

struct OptimizerLoop {
  const char* rule;
  ScalarType dtype;
  // per parameter: number of state tensors (without the gradient), and of coefficients
  int states, numbers;
  // data: parameter, gradient and states, with n elements each.
  void (*run)(const double* numbers, char* const* data, int64_t n);
};

namespace optimizer_loops {
TNP_DECLARE_LOOPS(OptimizerLoop, loops)
}  // namespace optimizer_loops

}  // namespace tnp
