#include "aten/compiler/explain.h"

#include <algorithm>
#include <cstdlib>

#include "aten/compiler/dependencies.h"
#include "aten/compiler/steps.h"
#include "aten/compiler/subgraph.h"
#include "aten/fusion/mode.h"

namespace tnp::compiler {

namespace {

const View& view_of(const Record& r, int v) { return r.views[static_cast<size_t>(v)]; }

// Whether an operand's elements are read in the order of the result's, as fusion wants them (aten/fusion/recorder.cpp).
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

std::string of_pointwise(const Record& r, const PointwiseStep& step) {
  if (step.results[1] >= 0) return "two results";
  const std::string text = step.text();
  if (text.find(", where=") != text.npos) return "where=";
  if (text.find(", out=") != text.npos) return "it writes into an array that is there already";
  const View& result = view_of(r, step.results[0]);
  if (result.numel * element_size(result.dtype) < fusion::kLarge)
    return "smaller than " + std::to_string(fusion::kLarge / 1024) + " KiB";
  bool is_in_lines = true;
  for (size_t i = 0; i < step.op.nin; ++i) {
    const View& operand = view_of(r, step.inputs[i]);
    if (operand.sizes.empty()) continue;
    if (!is_read_in_order(operand, result)) return "a transposed operand";
    is_in_lines = is_in_lines && operand.is_contiguous && operand.sizes == result.sizes;
    if (is_reduced_float(operand.dtype)) return std::string("elements of ") + dtype_name(operand.dtype);
  }
  if (!result.is_contiguous) return "a result that is not in row-major order";
  if (step.may_be_pending()) return {};
  if (!is_in_lines) return "an operand that is broadcast or strided, in lines that are short";
  return step.op.check ? "an operator that looks at the values of its operands"
                       : "operands of dtypes that do not go together";
}

}  // namespace

std::string why_not_fused(const Record& r, const Step& step) {
  if (const char* backend = backend_of(step)) return std::string("computed by the backend ") + backend;
  if (const auto* pointwise = dynamic_cast<const PointwiseStep*>(&step)) return of_pointwise(r, *pointwise);
  if (step.draws) return "a random draw";
  const std::string text = step.text();
  const std::string op = text.substr(0, text.find('('));
  if (op == "look") return "Python looks at the value";
  if (op == "empty") return "memory for what later steps write";
  if (op == "reduce") return "a reduction";
  if (op == "copy" || op == "fill") return "a copy into an array that is there already";
  return "not a pointwise operator";
}

std::vector<int> fused_groups(const Record& r) {
  DependencyGraph graph = dependencies(r, first_of_equal_views(r));
  for (size_t i = 0; i < r.steps.size(); ++i) graph.nodes[i].is_supported = why_not_fused(r, *r.steps[i]).empty();
  std::vector<int> groups(r.steps.size(), -1);
  int count = 0;
  for (const std::vector<int>& group : partition(graph)) {
    if (!graph.nodes[static_cast<size_t>(group[0])].is_supported || group.size() < 2) continue;
    for (int i : group) groups[static_cast<size_t>(i)] = count;
    ++count;
  }
  return groups;
}

}  // namespace tnp::compiler
