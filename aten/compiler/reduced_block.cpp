#include "aten/compiler/reduced_block.h"

#include <utility>
#include <vector>

#include "aten/compiler/frame.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"

namespace tnp::compiler {

namespace {

// Smaller results stay in a core's cache without fusion.
constexpr int64_t kLeastBytes = 64 * 1024;

}  // namespace

ReducedBlockStep::ReducedBlockStep(std::unique_ptr<BlockStep> block, std::unique_ptr<ReductionStep> reduction)
    : block_(std::move(block)), reduction_(reduction.get()) {
  parts = std::move(block_->parts);
  parts.push_back(std::move(reduction));
  block_->pass_on(reduction_->input());
  reads = block_->reads;
  writes = block_->writes;
  writes.push_back(reduction_->result());
  allocates = block_->allocates;
  allocates.push_back(reduction_->result());
}

bool ReducedBlockStep::run(Frame& frame) const {
  FloatingPointErrors errors = kNoErrors;
  const bool is_done = block_->run_into(frame, [&](ElementSource& source) {
    const DialectGuard guard(reduction_->dialect());
    errors = reduction_->reduction().run(source, frame.allocate(reduction_->result()));
  });
  if (TNP_LIKELY(is_done)) {
    if (TNP_UNLIKELY(errors)) report_floating_point_errors(PlannedReduction::kWatchedAs, errors);
    return true;
  }
  if (!run_parts(frame)) return false;
  frame.release(slot_of(frame.trace(), reduction_->input()));
  return true;
}

namespace {

// Takes the step as a block that makes the whole view. Returns null, and leaves the step in place,
// if it cannot be one.
std::unique_ptr<BlockStep> block_that_makes(const Trace& r, std::unique_ptr<Step>& step, int view) {
  if (auto* const block = dynamic_cast<BlockStep*>(step.get())) {
    if (!block->makes(view)) return nullptr;
    static_cast<void>(step.release());
    return std::unique_ptr<BlockStep>(block);
  }
  if (step->writes.size() != 1 || step->writes[0] != view) return nullptr;
  return BlockStep::of(r, step);
}

}  // namespace

void reduce_blocks(Trace& r) {
  const std::vector<int> uses = uses_of_slots(r);
  std::vector<std::unique_ptr<Step>> kept;
  for (std::unique_ptr<Step>& step : r.steps) {
    std::unique_ptr<BlockStep> block;
    if (const auto* reduction = dynamic_cast<const ReductionStep*>(step.get()); reduction && !kept.empty()) {
      constexpr int kWrittenAndRead = 2;
      const View& input = view_of(r, reduction->input());
      const auto slot = static_cast<size_t>(input.slot);
      if (!r.slots[slot].escapes && uses[slot] == kWrittenAndRead && bytes_of(input) >= kLeastBytes &&
          reduction->reduction().takes_source())
        block = block_that_makes(r, kept.back(), reduction->input());
    }
    if (!block) {
      kept.push_back(std::move(step));
      continue;
    }
    auto* const reduction = static_cast<ReductionStep*>(step.release());
    kept.back() = std::make_unique<ReducedBlockStep>(std::move(block), std::unique_ptr<ReductionStep>(reduction));
  }
  r.steps = std::move(kept);
}

}  // namespace tnp::compiler
