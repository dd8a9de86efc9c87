// Temporary memory for CUB calls. Only for files that nvcc compiles.
#pragma once

#include <cuda_runtime.h>

#include "aten/core/tensor.h"

namespace tnp::gpu {

// Calls f(memory, bytes) twice, as CUB requires: the first call, with null, sets `bytes` to the
// size of the temporary memory; the second call computes.
template <class F>
void with_cub_memory(Device device, F&& f) {
  auto check = [](cudaError_t status) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // clears the error, so that the next launch does not report it again
    TNP_RAISE(ErrorKind::Runtime, "CUB: ", cudaGetErrorString(status));
  };
  size_t bytes = 0;
  check(f(nullptr, bytes));
  const Tensor memory =
      // Allocates one byte more, because CUB would treat a null pointer as another query for the
      // size.
      empty_tensor({static_cast<int64_t>(bytes) + 1}, ScalarType::UInt8, device);
  check(f(memory.address(), bytes));
}

}  // namespace tnp::gpu
