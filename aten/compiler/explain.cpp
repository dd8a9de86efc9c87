#include "aten/compiler/explain.h"

#include <cstdlib>
#include <memory>

#include "aten/compiler/block_step.h"
#include "aten/compiler/reduced_block.h"
#include "aten/compiler/row_tiles.h"
#include "aten/compiler/steps.h"
#include "aten/compiler/subgraph.h"

namespace tnp::compiler {

namespace {

const View& view_of(const Trace& r, int v) { return r.views[static_cast<size_t>(v)]; }

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
std::string of_elementwise(const Trace& r, const Elementwise& e) {
  if (Block::takes(r, e)) return {};
  const View& result = view_of(r, e.result);
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i] && !is_read_in_order(view_of(r, e.inputs[i]), result)) return "a transposed operand";
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i] && view_of(r, e.inputs[i]).slot == result.slot && !(view_of(r, e.inputs[i]) == result))
      return "an operand that overlaps with the result";
  return "a broadcast or strided operand with short rows";
}

std::string of_pointwise(const Trace& r, const PointwiseStep& step) {
  if (step.results[1] >= 0) return "two results";
  if (step.call.gives("where")) return "where=";
  const View& result = view_of(r, step.results[0]);
  if (result.numel == 0) return "no elements";
  if (step.op.check) return "an operator that checks the values of its operands";
  for (size_t i = 0; i < step.op.nin; ++i)
    if (const ScalarType dtype = view_of(r, step.inputs[i]).dtype; is_reduced_float(dtype))
      return std::string("elements of ") + dtype_name(dtype);
  if (step.is_new() && !result.is_contiguous) return "a result that is not in row-major order";
  return "operands of mixed dtypes";
}

std::string why_alone(const Trace& r, const Step& step) {
  if (const char* backend = backend_of(step)) return std::string("computed by the backend ") + backend;
  if (const std::optional<Elementwise> e = elementwise(r, step)) return of_elementwise(r, *e);
  if (const auto* pointwise = dynamic_cast<const PointwiseStep*>(&step)) return of_pointwise(r, *pointwise);
  if (step.draws) return "a random draw";
  if (dynamic_cast<const LookStep*>(&step)) return "Python reads the value";
  if (dynamic_cast<const EmptyStep*>(&step)) return "allocation of memory that later steps write";
  if (dynamic_cast<const ReduceStep*>(&step) || dynamic_cast<const ReductionStep*>(&step)) return "a reduction";
  if (dynamic_cast<const CopyStep*>(&step)) return "a copy whose cast may raise an error";
  if (dynamic_cast<const FillStep*>(&step)) return "a fill with a number that the dtype may not represent";
  return "not a pointwise operator";
}

}  // namespace

std::vector<ExplainedStep> explain(const Trace& trace) {
  std::vector<ExplainedStep> all;
  int count = 0, count_of_tiles = 0;
  const auto explain = [&](const Step& step, int tiles) {
    const auto* reduced = dynamic_cast<const ReducedBlockStep*>(&step);
    const auto* block = reduced ? &reduced->block() : dynamic_cast<const BlockStep*>(&step);
    if (!block) {
      all.push_back({&step, -1, why_alone(trace, step), tiles});
      return;
    }
    const int group = reduced || block->steps().size() > 1 ? count++ : -1;
    for (const std::unique_ptr<Step>& part : block->steps()) all.push_back({part.get(), group, {}, tiles});
    if (reduced) all.push_back({&reduced->reduction(), group, {}, tiles});
  };
  for (const std::unique_ptr<Step>& step : trace.steps) {
    if (const auto* tiled = dynamic_cast<const RowTilesStep*>(step.get())) {
      for (const std::unique_ptr<Step>& part : tiled->steps()) explain(*part, count_of_tiles);
      ++count_of_tiles;
    } else {
      explain(*step, -1);
    }
  }
  return all;
}

}  // namespace tnp::compiler
