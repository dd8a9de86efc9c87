// Shape functions of selection by rank. Kernels get at least one axis; results of a 0-d input have
// its shape.
#include "aten/meta_functions/selection.h"
#include "aten/iterator/layout.h"

namespace tnp::meta {

namespace {

void check_has_order(const Tensor& input) {
  TNP_CHECK(!input.is_complex() && !is_bool(input.dtype()), ErrorKind::NotImplemented, "not implemented for ",
            input.dtype());
}

void check_not_empty(const Tensor& input, int64_t axis) {
  TNP_CHECK(input.dim() == 0 || input.size(axis) > 0, ErrorKind::Index, "{input} of shape ", input.sizes(),
            " has no elements along axis ", axis);
}

void add_pair(Outputs& outputs, IntList sizes, ScalarType dtype) {
  outputs.add(sizes, dtype);
  outputs.add(sizes, ScalarType::Int64);
}

// One element of each line along `axis`.
void one_of_each(Outputs& outputs, Operand& input, int64_t axis, bool keepdim) {
  check_has_order(input);
  DimVector sizes(input->sizes());
  if (keepdim && input->dim() > 0)
    sizes[static_cast<size_t>(axis)] = 1;
  else if (input->dim() > 0)
    sizes.erase(static_cast<size_t>(axis));
  add_pair(outputs, sizes, input->dtype());
  if (input->dim() == 0) input = at_least_one_axis(input);
}

void median_along(Outputs& outputs, Operand& input, int64_t& dim, bool keepdim) {
  dim = wrap_dim(dim, input->dim());
  check_not_empty(input, dim);
  one_of_each(outputs, input, dim, keepdim);
}

}  // namespace

void topk(Outputs& outputs, Operand& input, int64_t& k, int64_t& dim, bool&, bool&) {
  dim = wrap_dim(dim, input->dim());
  const int64_t n = input->dim() == 0 ? 1 : input->size(dim);
  TNP_CHECK(k >= 0 && k <= n, ErrorKind::Shape, "{k} is ", k, ", but axis ", dim, " of {input} has ", n, " elements");
  TNP_CHECK(!input->is_complex(), ErrorKind::Type, "not implemented for ", input->dtype());
  check_has_order(input);
  DimVector sizes(input->sizes());
  if (input->dim() > 0)
    sizes[static_cast<size_t>(dim)] = k;
  else if (k == 0)
    sizes.push_back(0);
  add_pair(outputs, sizes, input->dtype());
  if (input->dim() == 0) input = at_least_one_axis(input);
}

void kthvalue(Outputs& outputs, Operand& input, int64_t& k, int64_t& dim, bool& keepdim) {
  dim = wrap_dim(dim, input->dim());
  const int64_t n = input->dim() == 0 ? 1 : input->size(dim);
  check_not_empty(input, dim);
  TNP_CHECK(k >= 1 && k <= n, ErrorKind::Shape, "{k} is ", k, ", but axis ", dim, " of {input} has ", n, " elements");
  one_of_each(outputs, input, dim, keepdim);
}

void median_dim(Outputs& outputs, Operand& input, int64_t& dim, bool& keepdim) {
  median_along(outputs, input, dim, keepdim);
}
void nanmedian_dim(Outputs& outputs, Operand& input, int64_t& dim, bool& keepdim) {
  median_along(outputs, input, dim, keepdim);
}

}  // namespace tnp::meta
