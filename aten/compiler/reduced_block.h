// Reductions of what a block makes and nobody else reads: its elements come to the reduction as it goes through them,
// and are never written. Note [Sources of elements] in aten/kernels/reduce_plan.h.
#pragma once

#include <memory>

#include "aten/compiler/block_step.h"
#include "aten/compiler/kernel_steps.h"

namespace tnp::compiler {

class ReducedBlockStep final : public AllocatingStep {
 public:
  ReducedBlockStep(std::unique_ptr<BlockStep> block, std::unique_ptr<ReductionStep> reduction);
  bool run(Frame& frame) const override;
  std::string name() const override { return block_->name() + "+" + reduction_->name(); }
  std::string text() const override;
  const BlockStep& block() const { return *block_; }
  const ReductionStep& reduction() const { return *reduction_; }

 private:
  std::unique_ptr<BlockStep> block_;
  std::unique_ptr<ReductionStep> reduction_;
};

// In the place of blocks and the reductions that follow them.
void reduce_blocks(Record& record);

}  // namespace tnp::compiler
