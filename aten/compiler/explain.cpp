#include "aten/compiler/explain.h"

#include <cstdlib>
#include <memory>

#include "aten/compiler/block_step.h"
#include "aten/compiler/reduced_block.h"
#include "aten/compiler/row_tiles.h"
#include "aten/compiler/steps.h"
#include "aten/compiler/subgraph.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

namespace {

// Whether an operand's elements are read in the order of the result's.
bool is_read_in_order(const View& operand, const View& result) {
  const size_t offset = result.sizes.size() - operand.sizes.size();
  int64_t least = 0;
  for (size_t d = operand.sizes.size(); d-- > 0;) {
    const int64_t stride = std::abs(operand.strides[d]);
    if (operand.sizes[d] == 1 || result.sizes[offset + d] == 1 || stride == 0) continue;
    if (stride < least) return false;
    least = stride;
  }
  return true;
}

// Why an elementwise step cannot be part of a block; empty if it can.
std::string of_elementwise(const Trace& r, const ElementwiseCall& e) {
  if (Block::takes(r, e)) return {};
  const View& result = view_of(r, e.result);
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i] && !is_read_in_order(view_of(r, e.inputs[i]), result)) return "a transposed operand";
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i] && view_of(r, e.inputs[i]).slot == result.slot && !(view_of(r, e.inputs[i]) == result))
      return "an operand that overlaps with the result";
  return "a broadcast or strided operand with short rows";
}

std::string of_pointwise(const Trace& r, const Step& step) {
  const PointwiseOp& op = *step.call.pointwise;
  if (op.nout > 1) return "two results";
  if (step.call.gives("where")) return "where=";
  const View& result = view_of(r, result_of(step));
  if (result.numel == 0) return "no elements";
  if (op.check) return "an operator that checks the values of its operands";
  for (size_t i = 0; i < op.nin; ++i)
    if (const ScalarType dtype = view_of(r, step.call.view(i)).dtype; is_reduced_float(dtype))
      return std::string("elements of ") + dtype_name(dtype);
  if (!step.call.gives("out") && !result.is_contiguous) return "a result that is not in row-major order";
  return "operands of mixed dtypes";
}

std::string why_alone(const Trace& r, const Step& step) {
  if (const char* backend = backend_of(step)) return std::string("computed by the backend ") + backend;
  if (const std::optional<ElementwiseCall> e = elementwise(r, step)) return of_elementwise(r, *e);
  if (step.call.pointwise) return of_pointwise(r, step);
  if (step.draws) return "a random draw";
  if (step.call.op == &look_op) return "Python reads the value";
  if (dynamic_cast<const EmptyStep*>(&step)) return "allocation of memory that later steps write";
  if (step.call.reduction) return "a reduction";
  if (step.call.op == &copy_op) return "a copy whose cast may raise an error";
  if (step.call.op == &fill_op) return "a fill with a number that the dtype may not represent";
  return "not a pointwise operator";
}

}  // namespace

std::vector<ExplainedStep> explain(const Trace& trace) {
  std::vector<ExplainedStep> all;
  int count = 0, count_of_tiles = 0;
  const auto explain = [&](const Step& step, int tiles) {
    if (!dynamic_cast<const ReducedBlockStep*>(&step) && !dynamic_cast<const BlockStep*>(&step)) {
      all.push_back({&step, -1, why_alone(trace, step), tiles});
      return;
    }
    const int group = step.parts.size() > 1 ? count++ : -1;
    for (const std::unique_ptr<Step>& part : step.parts) all.push_back({part.get(), group, {}, tiles});
  };
  for (const std::unique_ptr<Step>& step : trace.steps) {
    if (dynamic_cast<const RowTilesStep*>(step.get())) {
      for (const std::unique_ptr<Step>& part : step->parts) explain(*part, count_of_tiles);
      ++count_of_tiles;
    } else {
      explain(*step, -1);
    }
  }
  return all;
}

}  // namespace tnp::compiler
