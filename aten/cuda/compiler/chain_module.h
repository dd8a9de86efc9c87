// A source of a chain, compiled and loaded: by NVRTC and the driver (chain_module_cuda.cu), or for the emulated device
// by the host's compiler, if TORCH_NP_CUDA_EMULATED_COMPILER names one (chain_module_emulated.cpp).
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
// For the current device. Null where it is refused.
std::unique_ptr<ChainModule> load_chain(const std::string& source);

}  // namespace tnp::gpu
