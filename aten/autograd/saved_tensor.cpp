// SavedTensor: saves values of the forward pass, and detects that they were overwritten.
#include "aten/autograd/linear.h"
#include "aten/autograd/released.h"
#include "aten/autograd/variable.h"

namespace tnp {

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output_of_node, uint32_t output_nr) {
  if (!tensor.defined()) return;
  version_ = tensor.version();
  is_output_ = is_output_of_node;
  AutogradMeta* meta = autograd_meta(tensor);
  if (is_output_) {
    output_nr_ = meta && meta->grad_fn ? meta->output_nr : output_nr;
    data_ = detach(tensor);
  } else if (tensor.requires_grad()) {
    grad_fn_ = grad_fn_of(tensor);
    is_leaf_ = !grad_fn_;
    if (!is_leaf_) output_nr_ = autograd_meta(tensor)->output_nr;
    data_ = is_leaf_ ? tensor : detach(tensor);
  } else {
    data_ = detach(tensor);
  }
}

SavedTensor SavedTensor::before_inplace(const Tensor& self) { return SavedTensor(identity_copy(self), false); }

Tensor SavedTensor::unpack(Node* owner, bool with_history) const {
  if (TNP_UNLIKELY(released_)) throw ReleasedGraph();
  if (!data_.defined()) return data_;
  Node* grad_fn = is_output_ ? owner : grad_fn_.get();
  if (TNP_UNLIKELY(data_.version() != version_)) {
    std::string origin;
    if (grad_fn) origin = ", which is output " + std::to_string(output_nr_) + " of " + grad_fn->name() + ",";
    TNP_RAISE(ErrorKind::Runtime,
              "one of the variables needed for gradient computation has been modified by an inplace operation: [",
              data_.dtype(), " ", data_.sizes(), "]", origin, " is at version ", data_.version(), "; expected version ",
              version_, " instead");
  }
  if (is_leaf_ || !grad_fn || !with_history || !is_differentiable(data_.dtype())) return data_;
  Tensor result = detach(data_);
  AutogradMeta& meta = make_autograd_meta(result);
  meta.grad_fn = intrusive_ptr<Node>(grad_fn);
  meta.output_nr = output_nr_;
  return result;
}

}  // namespace tnp
