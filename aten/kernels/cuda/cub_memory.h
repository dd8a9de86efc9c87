// How CUB is called. Only for units that nvcc compiles.
#pragma once

#include <cuda_runtime.h>

#include "aten/core/tensor.h"

namespace tnp::gpu {

// Calls f(memory, bytes) twice, as CUB wants it: with null it says how many bytes it takes, then it works.
template <class F>
void with_cub_memory(Device device, F&& f) {
  auto check = [](cudaError_t status) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // or the next launch would raise it again
    TNP_RAISE(ErrorKind::Runtime, "CUB: ", cudaGetErrorString(status));
  };
  size_t bytes = 0;
  check(f(nullptr, bytes));
  const Tensor memory =
      empty_tensor({static_cast<int64_t>(bytes) + 1}, ScalarType::UInt8, device);  // not null, which would ask again
  check(f(memory.address(), bytes));
}

}  // namespace tnp::gpu
