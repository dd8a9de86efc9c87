// Kernel steps: replace calls of operators that can be planned from geometry alone. They call the
// kernel directly and write to the replay's memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "aten/compiler/loop_plan.h"
#include "aten/compiler/tracer.h"
#include "aten/core/dialect.h"
#include "aten/dispatch/reduce.h"
#include "aten/kernels/reduction.h"

namespace tnp::compiler {

// Replaces a call that reads and writes the same views.
class KernelStep : public Step {
 public:
  KernelStep(Step& replaced, int result);
  int result() const { return result_; }  // view
  Dialect dialect() const { return call.dialect; }

 private:
  const int result_;
};

class ReductionStep final : public KernelStep {
 public:
  ReductionStep(Step& replaced, int result, int input, PlannedReduction reduction)
      : KernelStep(replaced, result), input_(input), reduction_(std::move(reduction)) {}
  bool run(Frame& frame) const override;
  int input() const { return input_; }  // view
  const PlannedReduction& reduction() const { return reduction_; }

 private:
  const int input_;
  const PlannedReduction reduction_;
};

// A pointwise operator over small arrays, which calls its loop directly.
class LoopStep final : public KernelStep {
 public:
  LoopStep(Step& replaced, int result, const ElementwiseCall& e, LoopPlan plan)
      : KernelStep(replaced, result), inputs_(e.inputs), num_inputs_(e.num_inputs), plan_(std::move(plan)) {}
  bool run(Frame& frame) const override;

 private:
  const std::array<int, 3> inputs_;  // views
  const size_t num_inputs_;
  const LoopPlan plan_;
};

// The view of the call's one result, if it is new, dense and on the CPU, as its operands must be;
// else -1.
int new_result(const Trace& trace, const Step& call);

// Make a step for the call of a reduction, or of a pointwise operator. They return `step` itself if
// there is no such step.
std::unique_ptr<Step> reduction_step(const Trace& trace, std::unique_ptr<Step> step);
std::unique_ptr<Step> loop_step(const Trace& trace, std::unique_ptr<Step> step);

}  // namespace tnp::compiler
