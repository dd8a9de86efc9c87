#include "aten/cuda/compiler/compiler.h"

#include <map>
#include <mutex>
#include <utility>

#include "aten/cuda/compiler/chain.h"
#include "aten/cuda/compiler/chain_module.h"
#include "aten/cuda/compiler/chain_source.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

namespace {

class Kernel final : public CompiledChain {
 public:
  explicit Kernel(std::unique_ptr<ChainModule> module) : module_(std::move(module)) {}
  void launch(Device device, std::span<const ChainOperand> operands, uint32_t numel) const override {
    constexpr uint32_t kEach = chain::kThreads * chain::kItems;
    const DeviceGuard guard(device.index);
    module_->launch(operands, numel, numel / kEach + (numel % kEach != 0), current_stream(device.index));
  }

 private:
  std::unique_ptr<ChainModule> module_;
};

// Compiles chains and caches the kernels and failures by device and source. The cache never evicts,
// because a program has few chains.
class Compiler final : public ChainCompiler {
 public:
  bool takes(const PointwiseOp& op) override { return has_compiler() && functor_of(op); }
  std::shared_ptr<const CompiledChain> compile(const KernelChain& chain, Device device) override {
    const std::pair key(static_cast<int>(device.index), chain_source(chain));
    std::lock_guard lock(mutex_);
    const auto [place, is_new] = kernels_.try_emplace(key);
    if (is_new) {
      const DeviceGuard guard(device.index);
      if (auto module = load_chain(key.second)) place->second = std::make_shared<Kernel>(std::move(module));
    }
    return place->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, std::string>, std::shared_ptr<const CompiledChain>> kernels_;
};

}  // namespace

// Never destroyed, like the runtime.
void register_compiler() { register_chain_compiler(new Compiler); }

}  // namespace tnp::gpu
