// Record of this thread's calls of multiply() on the emulated device, for tests.
#pragma once

#include "aten/kernels/cuda/linalg/blas.h"

namespace tnp::gpu::emulation {

struct ProductsAsked {
  int64_t count = 0;
  MatrixProduct last{};
};
ProductsAsked& products_asked();

}  // namespace tnp::gpu::emulation
