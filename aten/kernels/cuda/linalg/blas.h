// Products of stacks of matrices: by cuBLASLt (blas_cuda.cu), opened at the first one, and on the emulated device by
// BLAS, which remembers for tests what it was asked for (blas_emulated.cpp).
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/matmul_precision.h"

namespace tnp::gpu {

// A stack of matrices that lie row by row, or, if `transposed`, column by column.
struct MatrixStack {
  const void* data;
  int64_t leading;  // elements from one row (column) to the next
  int64_t step;     // elements from one matrix to the next; 0: it is always the same one
  bool transposed;
};

// out[i] = a[i] @ b[i]: m x k times k x n, `count` times. None of them is 0. `out` lies row by row, `n` elements each.
struct MatrixProduct {
  ScalarType dtype;
  Float32MatmulPrecision precision;
  int64_t m, n, k, count;
  MatrixStack a, b;
  void* out;
  int64_t out_step;
};

// 16-bit floats accumulate in float32. False, and nothing is done, where there is no library for it.
bool multiply(const MatrixProduct& product, Device device);
// The same for all dtypes but 16-bit floats, by a thread for each element; integers wrap as their dtype does.
void multiply_elements(const MatrixProduct& product, Device device);

}  // namespace tnp::gpu
