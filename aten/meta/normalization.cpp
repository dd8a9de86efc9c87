// Shape functions of batch and group normalisation: shapes, layouts, and operands in the dtypes
// that kernels accept.
#include "aten/meta_functions/normalization.h"
#include "aten/iterator/memory_format.h"
#include "aten/meta/device_dtypes.h"

namespace tnp::meta {

namespace {

void check_input(const Tensor& input) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  TNP_CHECK(input.dim() >= 2, ErrorKind::Shape, "{input} of shape ", input.sizes(), " has fewer than 2 axes");
}

void check_channels(const Tensor& input, const Tensor& t, const char* name) {
  TNP_CHECK(!t.defined() || (t.dim() == 1 && t.numel() == input.size(1)), ErrorKind::Shape, "{", name, "} of shape ",
            t.sizes(), " must have one number for each channel of {input} of shape ", input.sizes());
}

void add_if(Outputs& outputs, bool wanted, IntList sizes, ScalarType dtype) {
  if (wanted)
    outputs.add(sizes, dtype);
  else
    outputs.add_none();
}

bool lies_channels_last(const Tensor& t) { return !t.is_contiguous() && is_channels_last(t); }

}  // namespace

void native_group_norm(Outputs& outputs, Operand& input, int64_t& num_groups, Operand& weight, Operand& bias, double&) {
  check_input(input);
  TNP_CHECK(num_groups != 0, ErrorKind::ZeroDivision, "{num_groups} is 0");
  TNP_CHECK(num_groups > 0, ErrorKind::Shape, "{num_groups} is ", num_groups, ", which is not positive");
  TNP_CHECK(input->size(1) % num_groups == 0, ErrorKind::Shape, input->size(1),
            " channels of {input} cannot be divided into ", num_groups, " groups");
  check_channels(input, weight, "weight");
  check_channels(input, bias, "bias");
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  make_dense(input, taken);
  make_parameter(outputs, weight, computed);
  make_parameter(outputs, bias, computed);
  outputs.add(input->sizes(), given).computed_in(taken);
  outputs.add({input->size(0), num_groups}, computed);
  outputs.add({input->size(0), num_groups}, computed);
}

void group_norm_gradients(Outputs& outputs, Operand& grad, Operand& input, int64_t&, Operand& mean, Operand& rstd,
                          Operand& weight, std::span<const bool> output_mask) {
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  make_dense(grad, taken);
  make_dense(input, taken);
  make_dense(mean, computed);
  make_dense(rstd, computed);
  make_parameter(outputs, weight, computed);
  add_if(outputs, output_mask[0], input->sizes(), taken);
  add_if(outputs, output_mask[1], {input->size(1)}, computed);
  add_if(outputs, output_mask[2], {input->size(1)}, computed);
}

void native_batch_norm(Outputs& outputs, Operand& input, Operand& weight, Operand& bias, Operand& running_mean,
                       Operand& running_var, bool& training, double&) {
  check_input(input);
  check_channels(input, weight, "weight");
  check_channels(input, bias, "bias");
  check_channels(input, running_mean, "running_mean");
  check_channels(input, running_var, "running_var");
  TNP_CHECK(training || (running_mean->defined() && running_var->defined()), ErrorKind::Runtime,
            "{running_mean} and {running_var} must be given unless {training} is true");
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  const bool last = lies_channels_last(input);
  input = to_format(input, taken, last);
  make_parameter(outputs, weight, computed);
  make_parameter(outputs, bias, computed);
  if (!training) {
    make_parameter(outputs, running_mean, computed);
    make_parameter(outputs, running_var, computed);
  }
  Output& out = outputs.add(input->sizes(), given).computed_in(taken);
  if (last) out.strides = channels_last_strides(input->sizes());
  for (int k = 0; k < 3; ++k) outputs.add({input->size(1)}, computed);
}

void batch_norm_gradients(Outputs& outputs, Operand& grad, Operand& input, Operand& mean, Operand& rstd,
                          Operand& weight, bool&, std::span<const bool> output_mask) {
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  const bool last = lies_channels_last(input);
  grad = to_format(grad, taken, last);
  input = to_format(input, taken, last);
  make_dense(mean, computed);
  make_dense(rstd, computed);
  make_parameter(outputs, weight, computed);
  if (output_mask[0] && last)
    outputs.add(input->sizes(), taken).strides = channels_last_strides(input->sizes());
  else
    add_if(outputs, output_mask[0], input->sizes(), taken);
  add_if(outputs, output_mask[1], {input->size(1)}, computed);
  add_if(outputs, output_mask[2], {input->size(1)}, computed);
}

}  // namespace tnp::meta
