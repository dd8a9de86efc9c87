// Differentiable linear maps of gradients, and the adjustment of gradients to an edge.
#include "aten/autograd/linear.h"

#include "aten/core/shapes.h"
#include "aten/core/sparse.h"
#include "aten/functions/copies.h"
#include "aten/functions/reductions.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

namespace {

class LinearNode final : public Node {
 public:
  LinearNode(const char* name, std::function<Tensor(const Tensor&)> adjoint)
      : name_(name), adjoint_(std::move(adjoint)) {}
  const char* name() const override { return name_; }
  Tensors apply(Tensors&& grads) override { return {adjoint_(grads[0])}; }

 private:
  const char* name_;
  std::function<Tensor(const Tensor&)> adjoint_;
};

}  // namespace

Tensor with_adjoint(const char* name, const Tensor& x, Tensor result, std::function<Tensor(const Tensor&)> adjoint) {
  if (!compute_requires_grad(x)) return result;
  auto node = make_intrusive<LinearNode>(name, std::move(adjoint));
  set_next_edges(*node, {&x});
  set_history(result, node);
  return result;
}

Tensor identity_copy(const Tensor& x, const std::optional<DimVector>& strides) {
  Tensor result = strides ? empty_strided_tensor(x.sizes(), *strides, x.dtype(), x.device())
                          : empty_tensor(x.sizes(), x.dtype(), x.device());
  copy_into(result, detach(x));
  return with_adjoint("CloneBackward0", x, std::move(result), [](const Tensor& grad) { return grad; });
}

Tensor cast_gradient(const Tensor& x, ScalarType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor result = empty_tensor(x.sizes(), dtype, x.device());
  copy_into(result, detach(x));
  return with_adjoint("ToCopyBackward0", x, std::move(result),
                      [from = x.dtype()](const Tensor& grad) { return cast_gradient(grad, from); });
}

Tensor summed_to(const Tensor& x, IntList sizes) {
  size_t lead = x.sizes().size() - sizes.size();
  DimVector gone, kept;
  for (size_t d = 0; d < lead; ++d) gone.push_back(static_cast<int64_t>(d));
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1 && x.sizes()[lead + d] != 1) kept.push_back(static_cast<int64_t>(d));
  }
  Tensor result = x;
  if (!gone.empty()) result = sum(result, gone, false, x.dtype());
  if (!kept.empty()) result = sum(result, kept, true, x.dtype());
  return result;
}

Tensor zeros_for(const InputMeta& meta) {
  Tensor zero = scalar_tensor(Scalar(0), meta.dtype, meta.device);
  return view_of(zero, meta.sizes, DimVector(meta.sizes.size(), 0), zero.address());
}

Tensor validated_gradient(const Tensor& grad, const InputMeta& meta, const Node& from, size_t index) {
  if (!grad.defined()) return grad;
  Tensor result = grad;
  if (result.sizes() != IntList(meta.sizes)) {
    TNP_CHECK(broadcasts_to(meta.sizes, result.sizes()), ErrorKind::Runtime, "Function ", from.name(),
              " returned an invalid gradient at index ", static_cast<int64_t>(index), " - got ", result.sizes(),
              " but expected shape compatible with ", IntList(meta.sizes));
    result = summed_to(result, meta.sizes);
  }
  if (TNP_UNLIKELY(is_sparse(result))) {
    TNP_CHECK(result.dtype() == meta.dtype && device_of_parts(result) == meta.device, ErrorKind::Runtime, "Function ",
              from.name(), " returned an invalid gradient at index ", static_cast<int64_t>(index), " - expected ",
              meta.dtype, " on ", meta.device, " but got a sparse tensor of ", result.dtype(), " on ",
              device_of_parts(result));
    return result;
  }
  if (result.dtype() != meta.dtype) result = cast_gradient(result, meta.dtype);
  if (TNP_UNLIKELY(result.device().is_wrapped() || meta.device.is_wrapped())) return result;
  // A 0-d CPU tensor may be an operand on any device; the gradient of such an operand is copied to
  // the CPU.
  if (result.device() != meta.device && meta.sizes.empty()) result = transfer(result, meta.device);
  TNP_CHECK(result.device() == meta.device, ErrorKind::Runtime, "Function ", from.name(),
            " returned an invalid gradient at index ", static_cast<int64_t>(index), " - expected device ", meta.device,
            " but got ", result.device());
  return result;
}

}  // namespace tnp
