// Runtime header of generated fused kernels (kernel_source.cpp): reads and writes operands. It is
// compiled by NVRTC, or by the host's compiler, which makes a launch a loop.
//
// Note [Fused kernels] Each thread computes V elements. Their distance is the number of threads in
// a block. The thread first reads all operands, then computes, then writes all results, because a
// load that follows a store waits for the store.
#pragma once

#include <bit>
#include <cstdint>

#include "aten/core/numbers/dtype.h"

#if defined(__CUDACC__)
#define TNP_EACH _Pragma("unroll") for (int k = 0; k < V; ++k)
#else
#define TNP_EACH for (int k = 0; k < V; ++k)
#endif

namespace tnp::gpu::fused_kernel {

inline constexpr uint32_t kThreads = 256, kItems = 4;

// The same layout as KernelOperand in aten/kernels/fused_kernel.h.
struct alignas(16) Operand {
  unsigned char bytes[16];
};
struct Array {
  char* data;
  uint32_t inner, period;
};

template <class T>
TNP_HOST_DEVICE inline T at(const Operand& operand, uint32_t i) {
  return static_cast<T>(reinterpret_cast<const stored_t<T>*>(std::bit_cast<Array>(operand).data)[i]);
}
template <class T>
TNP_HOST_DEVICE inline T elements(const Operand& operand, uint32_t i) {
  return at<T>(operand, i);
}
template <class T>
TNP_HOST_DEVICE inline T periodic(const Operand& operand, uint32_t i) {
  const Array array = std::bit_cast<Array>(operand);
  return at<T>(operand, i / array.inner % array.period);
}
template <class T>
TNP_HOST_DEVICE inline T one(const Operand& operand, uint32_t) {
  return at<T>(operand, 0);
}
template <class T>
TNP_HOST_DEVICE inline T number(const Operand& operand, uint32_t) {
  return static_cast<T>(*reinterpret_cast<const stored_t<T>*>(operand.bytes));
}
template <class T>
TNP_HOST_DEVICE inline void store(const Operand& operand, uint32_t i, T value) {
  reinterpret_cast<T*>(std::bit_cast<Array>(operand).data)[i] = value;
}

// Computes the elements of one thread.
template <class Kernel>
TNP_HOST_DEVICE inline void run(const Kernel& kernel, uint32_t block, uint32_t thread, uint32_t numel) {
  uint32_t i = block * (kThreads * kItems) + thread;
  if (i + (kItems - 1) * kThreads < numel) return kernel.template run<kItems>(i);
  for (; i < numel; i += kThreads) kernel.template run<1>(i);
}

}  // namespace tnp::gpu::fused_kernel

#if defined(__CUDACC__)
#define TNP_FUSED_KERNEL(Kernel)                                                 \
  extern "C" __global__ void __launch_bounds__(tnp::gpu::fused_kernel::kThreads) \
      tnp_fused_kernel(const __grid_constant__ Kernel kernel, uint32_t numel) {  \
    tnp::gpu::fused_kernel::run(kernel, blockIdx.x, threadIdx.x, numel);         \
  }
#else
#define TNP_FUSED_KERNEL(Kernel)                                                                            \
  extern "C" void tnp_fused_kernel(const void* operands, uint32_t numel, uint32_t blocks, bool backwards) { \
    const Kernel& kernel = *static_cast<const Kernel*>(operands);                                           \
    for (uint32_t b = 0; b < blocks; ++b)                                                                   \
      for (uint32_t t = 0; t < tnp::gpu::fused_kernel::kThreads; ++t)                                       \
        tnp::gpu::fused_kernel::run(kernel, backwards ? blocks - 1 - b : b,                                 \
                                    backwards ? tnp::gpu::fused_kernel::kThreads - 1 - t : t, numel);       \
  }
#endif
