// Shape functions of softmax, log_softmax and their gradient.
#include <algorithm>

#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/nn.h"

namespace tnp::meta {

void softmax(Outputs& outputs, Operand& input, int64_t& dim, std::optional<ScalarType>& dtype) {
  const ScalarType given = dtype.value_or(input->dtype());
  // As in torch, integers are an error.
  TNP_CHECK(is_floating(given), ErrorKind::NotImplemented, "not implemented for ", given);
  dim = wrap_dim(dim, std::max<int64_t>(input->dim(), 1));
  if (input->dtype() != given) make_dense(input, given);
  const ScalarType taken = taken_dtype(outputs, given);
  make_dense(input, taken);
  outputs.add(input->sizes(), given).computed_in(taken);
}

void log_softmax(Outputs& outputs, Operand& input, int64_t& dim, std::optional<ScalarType>& dtype) {
  softmax(outputs, input, dim, dtype);
}

void softmax_gradient(Outputs& outputs, Operand& grad, Operand& output, int64_t& dim, bool&) {
  const ScalarType given = output->dtype(), taken = taken_dtype(outputs, given);
  dim = wrap_dim(dim, std::max<int64_t>(output->dim(), 1));
  make_dense(grad, taken);
  make_dense(output, taken);
  outputs.add(output->sizes(), given).computed_in(taken);
}

}  // namespace tnp::meta
