// Batched matrix products. On a GPU cuBLASLt computes them (blas_cuda.cu), opened on first use. On
// the emulated device BLAS does (blas_emulated.cpp), and records the calls for tests.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/matmul_precision.h"

namespace tnp::gpu {

// A stack of matrices, row-major, or column-major if `transposed`.
struct MatrixStack {
  const void* data;
  int64_t leading;  // elements from one row (column) to the next
  int64_t step;     // elements from one matrix to the next; 0: the same matrix each time
  bool transposed;
};

// out[i] = a[i] @ b[i]: (m, k) times (k, n), `count` times. None of the sizes is 0. `out` is
// row-major and dense.
struct MatrixProduct {
  ScalarType dtype;
  Float32MatmulPrecision precision;
  int64_t m, n, k, count;
  MatrixStack a, b;
  void* out;
  int64_t out_step;
};

// Accumulates 16-bit floats in float32. Returns false, without computing, if no library supports
// the dtype.
bool multiply(const MatrixProduct& product, Device device);
// Like multiply(), for all dtypes except 16-bit floats, with one thread per element. Integers wrap.
void multiply_elements(const MatrixProduct& product, Device device);

}  // namespace tnp::gpu
