// Shape functions of classification losses: shapes, and operands in the dtypes that kernels accept.
#include <algorithm>

#include "aten/kernels/class_lines.h"
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/losses.h"

namespace tnp::meta {

namespace {

void check(const Tensor& input, const Tensor& target, const Tensor& weight) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  TNP_CHECK(target.dtype() == ScalarType::Int64, ErrorKind::Dtype, "{target} must have dtype int64, got ",
            target.dtype());
  const int64_t axis = class_axis(input);
  DimVector expected;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != axis) expected.push_back(input.size(d));
  TNP_CHECK(input.dim() > 0 && std::ranges::equal(expected, target.sizes()), ErrorKind::Shape, "{target} of shape ",
            target.sizes(), " does not fit {input} of shape ", input.sizes());
  const int64_t classes = input.size(axis);
  TNP_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes), ErrorKind::Shape,
            "{weight} tensor should be defined either for all ", classes, " classes or no classes but got shape ",
            weight.sizes());
  TNP_CHECK(target.device() == input.device() && (!weight.defined() || weight.device() == input.device()),
            ErrorKind::Runtime, "{input}, {target} and {weight} are on different devices");
}

DimVector loss_sizes(const Tensor& target, int64_t reduction) {
  return static_cast<LossReduction>(reduction) == LossReduction::None ? DimVector(target.sizes()) : DimVector();
}

}  // namespace

void _cross_entropy(Outputs& outputs, Operand& input, Operand& target, Operand& weight, int64_t& reduction, int64_t&,
                    double&) {
  check(input, target, weight);
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  make_dense(input, taken);
  make_dense(target, ScalarType::Int64);
  make_parameter(outputs, weight, computed);
  outputs.add(loss_sizes(target, reduction), given).computed_in(taken);
  outputs.add(target->sizes(), computed);
  outputs.add({}, computed);
}

void cross_entropy_gradient(Outputs& outputs, Operand& grad, Operand& input, Operand& target, Operand& lse,
                            Operand& total, Operand& weight, int64_t&, int64_t&, double&) {
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  bring_number(outputs, grad);
  make_parameter(outputs, grad, computed);
  make_dense(input, taken);
  make_dense(target, ScalarType::Int64);
  make_dense(lse, computed);
  make_dense(total, computed);
  make_parameter(outputs, weight, computed);
  outputs.add(input->sizes(), taken);
}

// Kernels read one element of each line, so `input` is not converted.
void _nll_loss(Outputs& outputs, Operand& input, Operand& target, Operand& weight, int64_t& reduction, int64_t&) {
  check(input, target, weight);
  const ScalarType given = input->dtype(), computed = compute_type(given);
  make_dense(input, given);
  make_dense(target, ScalarType::Int64);
  make_dense(weight, computed);
  outputs.add(loss_sizes(target, reduction), given);
  outputs.add({}, computed);
}

void nll_loss_backward(Outputs& outputs, Operand& grad_output, Operand& target, DimVector& sizes, Operand& total,
                       Operand& weight, int64_t&, int64_t&) {
  const ScalarType given = grad_output->dtype(), computed = compute_type(given);
  bring_number(outputs, grad_output);
  make_dense(grad_output, given);
  make_dense(target, ScalarType::Int64);
  make_dense(total, computed);
  make_dense(weight, computed);
  outputs.add(sizes, given);
}

}  // namespace tnp::meta
