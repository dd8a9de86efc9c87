// Products of stacks of matrices, by cuBLAS.
#pragma once

#include <cstdint>

#include "aten/core/device.h"
#include "aten/core/dtype.h"

namespace tnp::gpu {

// A stack of matrices that lie row by row, or, if `transposed`, column by column.
struct MatrixStack {
  const void* data;
  int64_t leading;  // elements from one row (column) to the next
  int64_t step;     // elements from one matrix to the next
  bool transposed;
};

// out[i] = a[i] @ b[i]: m x k times k x n, row by row and dense; 16-bit floats accumulate in float32. False, and nothing is done,
// where there is no library for it.
bool multiply(ScalarType dtype, int64_t m, int64_t n, int64_t k, const MatrixStack& a, const MatrixStack& b, void* out, int64_t count, Device device);

}  // namespace tnp::gpu
