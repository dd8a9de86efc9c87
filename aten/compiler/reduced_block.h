// Fuses a block with the reduction that reads it. If no other step reads the block's result, the
// reduction computes the elements as it traverses them, and they are never written. Note [Sources
// of elements] in aten/kernels/reduce_plan.h.
#pragma once

#include <memory>

#include "aten/compiler/block_step.h"
#include "aten/compiler/kernel_steps.h"

namespace tnp::compiler {

class ReducedBlockStep final : public Step {
 public:
  ReducedBlockStep(std::unique_ptr<BlockStep> block, std::unique_ptr<ReductionStep> reduction);
  bool run(Frame& frame) const override;
  std::string name() const override { return block_->name() + "+" + reduction_->name(); }
  std::string heading() const override { return block_->heading(); }
  const BlockStep& block() const { return *block_; }
  const ReductionStep& reduction() const { return *reduction_; }

 private:
  std::unique_ptr<BlockStep> block_;  // its parts are parts of this step
  const ReductionStep* reduction_;    // the last part
};

// Replaces blocks and the reductions that follow them.
void reduce_blocks(Trace& trace);

}  // namespace tnp::compiler
