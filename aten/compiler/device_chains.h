// Neighbouring pointwise steps on a device, as one kernel.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "aten/compiler/record.h"
#include "aten/compiler/steps.h"
#include "aten/kernels/kernel_chain.h"

namespace tnp::compiler {

// Steps whose operands lie in the order of the results, or are broadcast along whole axes. Where the device's compiler
// refuses the kernel, they run one by one.
class ChainStep final : public Step {
 public:
  struct Operand {
    int view;
    uint32_t inner = 1, period = 1;  // of Reading::Periodic
  };
  bool run(Frame& frame) const override;
  std::string name() const override;
  std::string text() const override;

  Device device;
  uint32_t numel = 0;
  KernelChain chain;
  std::vector<Operand> inputs;  // as the chain's
  std::vector<int> outputs;     // views, as the chain's
  std::vector<std::unique_ptr<Step>> parts;
  std::vector<int> slots_within;  // of what is not written

 private:
  bool is_compiled() const;

  mutable std::mutex mutex_;  // guards the next two
  mutable bool is_asked_for_ = false;
  mutable std::shared_ptr<const CompiledChain> compiled_;
};

// Joins what can be joined: two and more steps, one after the other. The record has its last uses. True: some are.
bool join_on_devices(Record& record);

// How many chains the compilers of devices were asked for and gave, and how many were launched.
struct ChainStatistics {
  uint64_t compiled, refused, launched;
};
TNP_API ChainStatistics chain_statistics();

}  // namespace tnp::compiler
