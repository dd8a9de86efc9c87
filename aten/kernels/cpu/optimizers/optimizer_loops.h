// The rules of optimisers over dense elements: compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/capability.h"

namespace tnp {

struct OptimizerLoop {
  const char* rule;
  ScalarType dtype;
  int states, numbers;  // of a parameter: tensors besides it and its gradient, coefficients
  // data: parameter, gradient, states, of n elements each.
  void (*run)(const double* numbers, char* const* data, int64_t n);
};

namespace optimizer_loops {
TNP_DECLARE_LOOPS(OptimizerLoop, loops)
}  // namespace optimizer_loops

}  // namespace tnp
