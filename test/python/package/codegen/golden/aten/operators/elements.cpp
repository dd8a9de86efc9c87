// Generated from native_functions/elements.yaml. Operators: dispatch, and recording for autograd.
#include "aten/functions/elements.h"

#include "aten/autograd/autocast.h"
#include "aten/autograd/generated_support.h"
#include "aten/autograd_nodes/elements.h"
#include "aten/compiler/boxed.h"
#include "aten/compiler/traced.h"
#include "aten/cuda_kernels/elements.h"
#include "aten/kernel_functions/elements.h"
#include "aten/meta_functions/elements.h"
#include "aten/native_functions/elements.h"
#include "aten/operator_tables/elements.h"

namespace tnp {

// twice(Tensor input) -> Tensor
Tensor twice(const Tensor& input, const PointwiseOptions& options) {
  if (TNP_LIKELY(!compute_requires_grad(input, options.out[0]))) return run_pointwise(pointwise_ops::twice, options, input);
  check_out_requires_no_grad(true, options.out[0]);
  auto node = make_intrusive<TwiceBackward>();
  set_next_edges(*node, {&input});
  node->mask_ = options.where;
  node->input_ = SavedTensor(operand_in(options.dtype, input), false);
  auto result = without_grad([&] { return run_pointwise(pointwise_ops::twice, options, input); });
  set_history(result, node);
  node->result0_ = SavedTensor(result, is_differentiable(result.dtype()), 0);
  return result;
}

// twice(Tensor input) -> Tensor
const Tensor& twice_(const Tensor& input) {
  const bool requires_grad = compute_requires_grad(input);
  check_inplace(input, requires_grad);
  PointwiseOptions options;
  options.out[0] = input;
  if (TNP_LIKELY(!requires_grad)) {
    run_pointwise(pointwise_ops::twice, options, input);
    return input;
  }
  auto node = make_intrusive<TwiceBackward>();
  set_next_edges(*node, {&input});
  node->input_ = SavedTensor(identity_copy(input), false);
  without_grad([&] { run_pointwise(pointwise_ops::twice, options, input); });
  rebase_history(input, node, 0);
  node->result0_ = SavedTensor(input, is_differentiable(input.dtype()), 0);
  return input;
}

// halves(Tensor input) -> (Tensor low, Tensor high)
std::tuple<Tensor, Tensor> halves(const Tensor& input, const PointwiseOptions& options) {
  if (TNP_LIKELY(!compute_requires_grad(input, options.out[0], options.out[1]))) return run_pointwise_pair(pointwise_ops::halves, options, input);
  check_out_requires_no_grad(true, options.out[0]);
  check_out_requires_no_grad(true, options.out[1]);
  auto node = make_intrusive<HalvesBackward>();
  set_next_edges(*node, {&input});
  node->mask_ = options.where;
  auto result = without_grad([&] { return run_pointwise_pair(pointwise_ops::halves, options, input); });
  set_history(std::get<0>(result), node);
  set_history(std::get<1>(result), node, 1);
  node->result1_ = SavedTensor(std::get<1>(result), is_differentiable(std::get<1>(result).dtype()), 1);
  return result;
}

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
Tensor total(const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype, const ReduceOptions& options) {
  if (TNP_LIKELY(!compute_requires_grad(input, options.out))) return reduce(reduction_ops::total, input, dim, keepdim, dtype, options);
  check_out_requires_no_grad(true, options.out);
  auto node = make_intrusive<TotalBackward>();
  set_next_edges(*node, {&input});
  node->input_sizes_ = DimVector(input.sizes());
  node->dim_ = stored(dim);
  node->keepdim_ = bool(keepdim);
  node->mask_ = SavedTensor(operand_in(dtype, options.where), false);
  auto result = without_grad([&] { return reduce(reduction_ops::total, input, dim, keepdim, dtype, options); });
  set_history(result, node);
  return result;
}

namespace boxed_families {
void elements(std::vector<compiler::BoxedFunction>& to) {
  to.push_back(compiler::boxed(&pointwise_ops::twice, "twice", "twice(Tensor input) -> Tensor", static_cast<Tensor (*)(const Tensor&, const PointwiseOptions&)>(&tnp::twice)));
  to.push_back(compiler::boxed(&pointwise_ops::halves, "halves", "halves(Tensor input) -> (Tensor low, Tensor high)", static_cast<std::tuple<Tensor, Tensor> (*)(const Tensor&, const PointwiseOptions&)>(&tnp::halves)));
  to.push_back(compiler::boxed(&reduction_ops::total, "total", "total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", +[](const Tensor& input, [[maybe_unused]] OptIntList dim, [[maybe_unused]] bool keepdim, [[maybe_unused]] std::optional<ScalarType> dtype, const ReduceOptions& options) { return tnp::total(input, dim, keepdim, dtype, options); }));
}
}  // namespace boxed_families

}  // namespace tnp
