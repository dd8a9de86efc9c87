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
