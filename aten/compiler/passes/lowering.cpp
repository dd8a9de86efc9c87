#include "aten/compiler/passes/passes.h"

#include "aten/compiler/kernel_steps.h"
#include "aten/compiler/product_steps.h"

namespace tnp::compiler {

void lower(Trace& trace) {
  for (std::unique_ptr<Step>& step : trace.steps) {
    step = product_step(trace, std::move(step));
    step = reduction_step(trace, std::move(step));
  }
}

void lower_loops(Trace& trace) {
  for (std::unique_ptr<Step>& step : trace.steps) step = loop_step(trace, std::move(step));
}

}  // namespace tnp::compiler
