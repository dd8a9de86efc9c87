// Fuses consecutive pointwise steps on a device into one kernel.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "aten/compiler/trace.h"
#include "aten/kernels/fused_kernel.h"

namespace tnp::compiler {

// The fused steps. Their operands have the layout of the results, or are broadcast along whole
// axes. If the device's compiler refuses the kernel, the steps run one by one.
class FusedKernelStep final : public Step {
 public:
  struct Operand {
    int view;
    uint32_t inner = 1, period = 1;  // for Reading::Periodic
  };
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string heading() const override { return "kernel("; }

  Device device;
  uint32_t numel = 0;
  FusedKernel kernel;
  std::vector<Operand> inputs;    // in the kernel's order
  std::vector<int> outputs;       // views, in the kernel's order
  std::vector<int> slots_within;  // of results that are not written

 private:
  bool is_compiled() const;

  mutable std::mutex mutex_;  // guards the next two
  mutable bool is_asked_for_ = false;
  mutable std::shared_ptr<const CompiledKernel> compiled_;
};

// Fuses runs of two or more steps. Returns whether it fused any. Requires the last uses in the
// trace.
bool fuse_on_devices(Trace& trace);

// Kernels that the device compilers compiled or refused, and launches of them.
struct FusedKernelStatistics {
  uint64_t compiled, refused, launched;
};
TNP_API FusedKernelStatistics fused_kernel_statistics();

}  // namespace tnp::compiler
