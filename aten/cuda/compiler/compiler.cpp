#include "aten/cuda/compiler/compiler.h"

#include <map>
#include <mutex>
#include <utility>

#include "aten/cuda/compiler/fused_kernel.h"
#include "aten/cuda/compiler/kernel_module.h"
#include "aten/cuda/compiler/kernel_source.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

namespace {

class Kernel final : public CompiledKernel {
 public:
  explicit Kernel(std::unique_ptr<KernelModule> module) : module_(std::move(module)) {}
  void launch(Device device, std::span<const KernelOperand> operands, uint32_t numel) const override {
    constexpr uint32_t kEach = fused_kernel::kThreads * fused_kernel::kItems;
    const DeviceGuard guard(device.index);
    module_->launch(operands, numel, numel / kEach + (numel % kEach != 0), current_stream(device.index));
  }

 private:
  std::unique_ptr<KernelModule> module_;
};

// Compiles kernels and caches them, and failures, by device and source. The cache never evicts,
// because a program has few kernels.
class Compiler final : public KernelCompiler {
 public:
  bool takes(const PointwiseOp& op) override { return has_compiler() && functor_of(op); }
  std::shared_ptr<const CompiledKernel> compile(const FusedKernel& kernel, Device device) override {
    const std::pair key(static_cast<int>(device.index), kernel_source(kernel));
    std::lock_guard lock(mutex_);
    const auto [place, is_new] = kernels_.try_emplace(key);
    if (is_new) {
      const DeviceGuard guard(device.index);
      if (auto module = load_kernel(key.second)) place->second = std::make_shared<Kernel>(std::move(module));
    }
    return place->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, std::string>, std::shared_ptr<const CompiledKernel>> kernels_;
};

}  // namespace

// Never destroyed, like the runtime.
void register_compiler() { register_kernel_compiler(new Compiler); }

}  // namespace tnp::gpu
