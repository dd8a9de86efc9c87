// A compiled and loaded chain kernel. On a GPU, NVRTC compiles it and the driver loads it
// (chain_module_cuda.cu). On the emulated device, the host's compiler compiles it, if
// TORCH_NP_CUDA_EMULATED_COMPILER names one (chain_module_emulated.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "aten/core/devices/device_runtime.h"
#include "aten/kernels/kernel_chain.h"

namespace tnp::gpu {

class ChainModule {
 public:
  ChainModule() = default;
  ChainModule(const ChainModule&) = delete;
  ChainModule& operator=(const ChainModule&) = delete;
  virtual ~ChainModule() = default;
  virtual void launch(std::span<const ChainOperand> operands, uint32_t numel, uint32_t blocks, StreamHandle stream) = 0;
};

bool has_compiler();
// Compiles and loads `source` for the current device. Returns null if the compiler or the driver
// rejects the source.
std::unique_ptr<ChainModule> load_chain(const std::string& source);

}  // namespace tnp::gpu
