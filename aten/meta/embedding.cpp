// Shape functions of embeddings, embedding bags and the bags' gradients.
#include "aten/meta_functions/embedding.h"

#include <algorithm>

#include "aten/iterator/dense.h"
#include "aten/kernels/embedding_bag.h"

namespace tnp::meta {

namespace {

void check_integers(const Tensor& t, const char* name) {
  TNP_CHECK(t.dtype() == ScalarType::Int64 || t.dtype() == ScalarType::Int32, ErrorKind::Dtype, "{", name, "} are of ",
            t.dtype(), ", not int64 or int32");
}

void check_numbers(const Tensor& t, const char* name) {
  check_integers(t, name);
  TNP_CHECK(t.dim() == 1, ErrorKind::Shape, "{", name, "} of shape ", t.sizes(), " are not 1-d");
}

void to_dense_if_defined(Operand& t, ScalarType dtype) {
  if (t->defined()) t = native::to_dense(t, dtype);
}

}  // namespace

void embedding(Outputs& outputs, Operand& weight, Operand& indices, int64_t&, bool&, bool&) {
  check_integers(indices, "indices");
  TNP_CHECK(weight->dim() > 0, ErrorKind::Shape, "{weight} is 0-d");
  TNP_CHECK(weight->device() == indices->device(), ErrorKind::Runtime, "{weight} is on ", weight->device(),
            ", {indices} on ", indices->device());
  DimVector sizes(indices->sizes());
  sizes.append(weight->sizes().subspan(1));
  outputs.add(sizes, weight->dtype());
  indices = native::to_dense(indices, ScalarType::Int64);
}

void _embedding_bag(Outputs& outputs, Operand& weight, Operand& indices, Operand& offsets, int64_t& mode,
                    Operand& per_sample_weights, int64_t&, bool&) {
  TNP_CHECK(is_floating(weight->dtype()), ErrorKind::NotImplemented, "not implemented for ", weight->dtype());
  TNP_CHECK(weight->dim() == 2, ErrorKind::Shape, "{weight} of shape ", weight->sizes(), " is not a matrix");
  check_numbers(indices, "indices");
  check_numbers(offsets, "offsets");
  TNP_CHECK(mode >= 0 && mode <= 2, ErrorKind::Value, "{mode} must be 0, 1 or 2, got ", mode);
  TNP_CHECK(!per_sample_weights->defined() || mode == static_cast<int64_t>(Bags::Sum), ErrorKind::NotImplemented,
            "{per_sample_weights} are implemented for mode 'sum' only");
  TNP_CHECK(!per_sample_weights->defined() || std::ranges::equal(per_sample_weights->sizes(), indices->sizes()),
            ErrorKind::Shape, "{per_sample_weights} of shape ", per_sample_weights->sizes(),
            " must have the shape of {indices}, ", indices->sizes());
  TNP_CHECK(!per_sample_weights->defined() || per_sample_weights->dtype() == weight->dtype(), ErrorKind::Dtype,
            "expected {weight} of ", weight->dtype(), " to have the same type as {per_sample_weights} of ",
            per_sample_weights->dtype());
  const ScalarType dtype = weight->dtype(), computed = compute_type(dtype);
  const int64_t n = indices->numel(), count = offsets->numel(), d = weight->size(1);
  weight = native::to_dense(weight, computed);
  indices = native::to_dense(indices, ScalarType::Int64);
  offsets = native::to_dense(offsets, ScalarType::Int64);
  to_dense_if_defined(per_sample_weights, computed);
  outputs.add({count, d}, dtype).computed_in(computed);
  outputs.add({n}, ScalarType::Int64);
  outputs.add({count}, ScalarType::Int64);
  if (mode == static_cast<int64_t>(Bags::Max))
    outputs.add({count, d}, ScalarType::Int64);
  else
    outputs.add({0}, ScalarType::Int64);
}

void embedding_bag_backward(Outputs& outputs, Operand& grad, Operand& weight, Operand& indices, Operand&, Operand&,
                            Operand&, int64_t&, Operand& per_sample_weights, int64_t&, bool&,
                            std::span<const bool> output_mask) {
  const ScalarType dtype = weight->dtype(), computed = compute_type(dtype);
  grad = native::to_dense(grad, computed);
  weight = native::to_dense(weight, computed);
  indices = native::to_dense(indices, ScalarType::Int64);
  to_dense_if_defined(per_sample_weights, computed);
  if (output_mask[0])
    outputs.add(weight->sizes(), dtype).computed_in(computed);
  else
    outputs.add_none();
  if (output_mask[1])
    outputs.add(indices->sizes(), dtype).computed_in(computed);
  else
    outputs.add_none();
}

}  // namespace tnp::meta
