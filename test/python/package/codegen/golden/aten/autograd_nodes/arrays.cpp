// Generated from native_functions/arrays.yaml. Derivatives.
#include "aten/autograd_nodes/arrays.h"

#include <array>

#include "aten/autograd/formulas.h"
#include "aten/functions/arrays.h"
#include "aten/ops/operators.h"

namespace tnp {

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
Tensors ProductBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(1);
  if (needs_grad(0)) {
    const Tensor other = other_.unpack(this);
    const auto& scale = scale_;
    out[0] = matvec(grad, other) * scale;
  }
  return out;
}
void ProductBackward::release_variables() {
  other_.reset();
}
void ProductBackward::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {
  visit("other", other_);
}

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
Tensors SwappedBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(1);
  if (needs_grad(0)) {
    const auto& dim0 = dim0_;
    const auto& dim1 = dim1_;
    out[0] = swapped(grad, dim0, dim1);
  }
  return out;
}
void SwappedBackward::release_variables() {
}

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
Tensors AssignBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(2);
  if (needs_grad(0)) {
    out[0] = zeros_like(grad);
  }
  if (needs_grad(1)) {
    out[1] = grad;
  }
  return out;
}
void AssignBackward::release_variables() {
}

// joined(Tensor[] tensors, int dim=0) -> Tensor
Tensors JoinedBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  const auto& tensors_sizes = tensors_sizes_;
  const auto& dim = dim_;
  return pieces(grad, tensors_sizes, dim);
}
void JoinedBackward::release_variables() {
}

// normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)
Tensors NormalizedBackward::apply(Tensors&& grads) {
  using namespace formulas;
  [[maybe_unused]] const Tensor& grad = grads[0];
  Tensors out(2);
  if (needs_grad(0) || needs_grad(1)) {
    const Tensor input = input_.unpack(this);
    const Tensor weight = weight_.unpack(this);
    const auto& scales = scales_;
    const auto& range = range_;
    const std::array<bool, 2> output_mask = {needs_grad(0), needs_grad(1)};
    std::tie(out[0], out[1]) = normalized_backward(grads[0], input, weight, scales, range, output_mask);
  }
  return out;
}
void NormalizedBackward::release_variables() {
  input_.reset();
  weight_.reset();
}
void NormalizedBackward::visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) {
  visit("self", input_);
  visit("weight", weight_);
}

}  // namespace tnp
