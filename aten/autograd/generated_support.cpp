// Definitions for generated_support.h that call operators or build error messages.
#include "aten/autograd/generated_support.h"

#include <algorithm>

#include "aten/dispatch/out.h"
#include "aten/functions/copies.h"
#include "aten/functions/sorting.h"

namespace tnp {

void check_where_requires_no_grad(const char* op, const Tensor& where) {
  TNP_CHECK(!where.defined(), ErrorKind::NotImplemented, "the derivative of ", op, "() with where= is not implemented");
}

std::vector<SavedTensor> saved_list(TensorList tensors) {
  std::vector<SavedTensor> saved;
  saved.reserve(tensors.size());
  for (const Tensor& t : tensors) saved.emplace_back(t, false);
  return saved;
}

std::vector<Tensor> unpacked(const std::vector<SavedTensor>& saved, Node* owner) {
  std::vector<Tensor> tensors;
  tensors.reserve(saved.size());
  for (const SavedTensor& s : saved) tensors.push_back(s.unpack(owner));
  return tensors;
}

std::vector<DimVector> sizes_of(TensorList tensors) {
  std::vector<DimVector> sizes;
  for (const Tensor& t : tensors) sizes.emplace_back(t.sizes());
  return sizes;
}

std::vector<ScalarType> dtype_of(TensorList tensors) {
  std::vector<ScalarType> dtypes;
  for (const Tensor& t : tensors) dtypes.push_back(t.dtype());
  return dtypes;
}

std::vector<int64_t> dim_of(TensorList tensors) {
  std::vector<int64_t> dims;
  for (const Tensor& t : tensors) dims.push_back(t.dim());
  return dims;
}

Tensor number_beside(const Tensor& grad, const Tensor& number) {
  const ScalarType real = to_real(grad.dtype());
  // The gradient is float16 or bfloat16; the number's default dtype, float32 or wider, is precise
  // enough.
  if (real != ScalarType::Float64 && real != ScalarType::Float32) return number;
  return scalar_tensor(number.item(), is_complex(number.dtype()) ? to_complex(real) : real, number.device());
}

Tensor operand_cast_to(ScalarType dtype, const Tensor& operand) {
  const bool other_kind = is_complex(dtype) != operand.is_complex();
  return other_kind && is_differentiable(dtype) && is_differentiable(operand.dtype()) ? cast(operand, dtype) : operand;
}

Tensor operand_of_in_place(const Tensor& self, bool requires_grad) { return requires_grad ? clone(self) : self; }

const Tensor& write_in_place(const char* op, const Tensor& self, const Tensor& result) {
  TNP_CHECK(std::ranges::equal(result.sizes(), self.sizes()), ErrorKind::Shape, op, ": {self} of shape ", self.sizes(),
            " cannot hold the result of shape ", result.sizes());
  check_cast_in_place(result.dtype(), self.dtype());
  return copy_(self, result);
}

void PointwiseNode::mask_all(Tensors& grads) const {
  for (Tensor& grad : grads) {
    if (grad.defined()) grad = where(mask_, grad, scalar_tensor(Scalar(0.0), grad.dtype(), grad.device()));
  }
}

Tensors NotDifferentiable::apply(Tensors&&) {
  TNP_RAISE(ErrorKind::NotImplemented, "the derivative of ", operation, "() is not implemented: ", reason);
}

}  // namespace tnp
