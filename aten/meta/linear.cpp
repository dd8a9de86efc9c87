// Shape function of `linear`.
#include "aten/meta_functions/linear.h"
#include "aten/iterator/dense.h"
#include "aten/meta/device_dtypes.h"

namespace tnp::meta {

void linear(Outputs& outputs, Operand& input, Operand& weight, Operand& bias) {
  TNP_CHECK(input->dim() > 0 && weight->dim() > 0, ErrorKind::Shape,
            "both arguments to linear need to be at least 1D, but they are ", input->dim(), "D and ", weight->dim(),
            "D");
  TNP_CHECK(weight->dim() == 1 || weight->dim() == 2, ErrorKind::Shape, "{weight} of shape ", weight->sizes(),
            " must be a matrix (out_features, in_features) or a vector");
  TNP_CHECK(input->size(-1) == weight->size(-1), ErrorKind::Shape, "{input} of shape ", input->sizes(),
            " and {weight} of shape ", weight->sizes(), " cannot be multiplied: the last sizes differ");
  TNP_CHECK(input->dtype() == weight->dtype(), ErrorKind::Dtype, "{input} has dtype ", input->dtype(),
            ", but {weight} has ", weight->dtype());
  DimVector sizes(input->sizes());
  sizes.pop_back();
  if (weight->dim() == 2) sizes.push_back(weight->size(0));
  if (bias->defined()) {
    TNP_CHECK(bias->dtype() == input->dtype(), ErrorKind::Dtype, "{input} has dtype ", input->dtype(),
              ", but {bias} has ", bias->dtype());
    const int64_t n = weight->dim() == 2 ? weight->size(0) : 1;
    const bool number = bias->numel() == 1 && bias->dim() <= 1;
    TNP_CHECK(number || (weight->dim() == 2 && bias->dim() == 1 && bias->size(0) == n), ErrorKind::Shape,
              "{bias} of shape ", bias->sizes(), " does not fit {weight} of shape ", weight->sizes());
    bring_number(outputs, bias);
    if (number && n != 1)
      bias = native::dense_copy(view_of(bias, {n}, {0}, bias->address()), bias->dtype());
    else
      bias = native::to_dense(bias, bias->dtype());
  }
  if (input->dim() != 2) input = native::to_dense(input, input->dtype());
  outputs.add(sizes, input->dtype());
}

}  // namespace tnp::meta
