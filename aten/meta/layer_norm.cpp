// Shape functions of layer and RMS normalisation: rows, and operands in the dtypes that kernels
// accept.
#include "aten/kernels/normalized_rows.h"
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/nn.h"
#include "aten/meta_functions/normalization.h"

namespace tnp::meta {

namespace {

void check_parameter(const Tensor& t, IntList normalized_shape, const char* name) {
  TNP_CHECK(!t.defined() || std::ranges::equal(t.sizes(), normalized_shape), ErrorKind::Shape, "{", name, "} of shape ",
            t.sizes(), " is not of {normalized_shape} ", normalized_shape);
}

}  // namespace

void native_layer_norm(Outputs& outputs, Operand& input, DimVector& normalized_shape, Operand& weight, Operand& bias,
                       double&) {
  const ScalarType given = input->dtype(), computed = compute_type(given);
  TNP_CHECK(is_floating(given), ErrorKind::NotImplemented, "not implemented for ", given);
  const NormalizedRows rows(input, normalized_shape);
  check_parameter(weight, normalized_shape, "weight");
  check_parameter(bias, normalized_shape, "bias");
  const ScalarType taken = taken_dtype(outputs, given);
  make_dense(input, taken);
  make_parameter(outputs, weight, computed);
  make_parameter(outputs, bias, computed);
  outputs.add(input->sizes(), given).computed_in(taken);
  outputs.add(rows.sizes, computed);
  outputs.add(rows.sizes, computed);
}

void native_rms_norm(Outputs& outputs, Operand& input, DimVector& normalized_shape, Operand& weight, double&) {
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  TNP_CHECK(is_floating(given), ErrorKind::NotImplemented, "not implemented for ", given);
  const NormalizedRows rows(input, normalized_shape);
  check_parameter(weight, normalized_shape, "weight");
  make_dense(input, taken);
  make_parameter(outputs, weight, computed);
  outputs.add(input->sizes(), given).computed_in(taken);
  outputs.add(rows.sizes, computed);
}

void layer_norm_gradients(Outputs& outputs, Operand& grad, Operand& input, DimVector& normalized_shape, Operand& mean,
                          Operand& rstd, Operand& weight, std::span<const bool> output_mask) {
  const ScalarType given = input->dtype(), computed = compute_type(given), taken = taken_dtype(outputs, given);
  make_dense(grad, taken);
  make_dense(input, taken);
  make_dense(mean, computed);
  make_dense(rstd, computed);
  make_parameter(outputs, weight, computed);
  if (output_mask[0])
    outputs.add(input->sizes(), taken);
  else
    outputs.add_none();
  for (size_t k : {1, 2}) {
    if (output_mask[k])
      outputs.add(normalized_shape, computed);
    else
      outputs.add_none();
  }
}

}  // namespace tnp::meta
