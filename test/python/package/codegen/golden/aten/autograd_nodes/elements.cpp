// Generated from native_functions/elements.yaml. Derivatives.
#include "aten/autograd_nodes/elements.h"

#include "aten/autograd/formulas.h"
#include "aten/ops/operators.h"

namespace tnp {

// twice(Tensor input) -> Tensor
Tensors TwiceBackward::apply(Tensors&& grads) {
  using namespace formulas;
  mask_gradients(grads);
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(1);
  if (needs_grad(0)) {
    const Tensor input = input_.unpack(this);
    const Tensor result0 = result0_.unpack(this);
    out[0] = grad * scale(input, result0);
  }
  return out;
}
void TwiceBackward::release_variables() {
  input_.reset();
  result0_.reset();
}
void TwiceBackward::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {
  visit("self", input_);
  visit("result", result0_);
}

// halves(Tensor input) -> (Tensor low, Tensor high)
Tensors HalvesBackward::apply(Tensors&& grads) {
  using namespace formulas;
  mask_gradients(grads);
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(1);
  if (needs_grad(0)) {
    const Tensor result1 = result1_.unpack(this);
    out[0] = grads[0] + grads[1] * result1;
  }
  return out;
}
void HalvesBackward::release_variables() {
  result1_.reset();
}
void HalvesBackward::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {
  visit("result1", result1_);
}

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
Tensors TotalBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(1);
  if (needs_grad(0)) {
    const auto& input_sizes = input_sizes_;
    const OptIntList dim = restored(dim_);
    const auto& keepdim = keepdim_;
    const Tensor mask = mask_.unpack(this);
    out[0] = spread(grad, input_sizes, dim, keepdim, mask);
  }
  return out;
}
void TotalBackward::release_variables() {
  mask_.reset();
}
void TotalBackward::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {
  visit("mask", mask_);
}

}  // namespace tnp
