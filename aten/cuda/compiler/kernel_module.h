// A compiled and loaded fused kernel. On a GPU, NVRTC compiles it and the driver loads it
// (kernel_module_cuda.cu). On the emulated device, the host's compiler compiles it, if
// TORCH_NP_CUDA_EMULATED_COMPILER names one (kernel_module_emulated.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "aten/core/devices/device_runtime.h"
#include "aten/kernels/fused_kernel.h"

namespace tnp::gpu {

class KernelModule {
 public:
  KernelModule() = default;
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;
  virtual ~KernelModule() = default;
  virtual void launch(std::span<const KernelOperand> operands, uint32_t numel, uint32_t blocks,
                      StreamHandle stream) = 0;
};

bool has_compiler();
// Compiles and loads `source` for the current device. Returns null if the compiler or the driver
// rejects the source.
std::unique_ptr<KernelModule> load_kernel(const std::string& source);

}  // namespace tnp::gpu
