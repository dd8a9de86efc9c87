// Shape functions of cumulative sums and products, and of the linear recurrence in their gradients.
#include "aten/core/numbers/promotion.h"
#include "aten/iterator/dense.h"
#include "aten/meta_functions/reductions.h"

namespace tnp::meta {

namespace {

// Scans along `dim`, or over the flattened input.
void running(Outputs& outputs, Operand& input, std::optional<int64_t>& dim, std::optional<ScalarType> dtype) {
  ScalarType type = input->dtype();
  if (dtype)
    type = *dtype;
  else if (is_integral(type))
    type = integer_sum_dtype(type);
  const ScalarType compute =
      is_integral(type) ? (type == ScalarType::UInt64 ? type : ScalarType::Int64) : compute_type(type);
  DimVector sizes = input->sizes();
  if (!dim || (sizes.empty() && !dialect().zero_dim_has_axis() && (*dim == 0 || *dim == -1))) {
    sizes = DimVector{input->numel()};
    dim = 0;
  }
  dim = wrap_dim(*dim, static_cast<int64_t>(sizes.size()));
  // Cumulative or and and of bools are sums and products of their truth values.
  if (is_bool(type)) input = native::to_dense(input, type);
  input = native::to_dense(input, compute);
  outputs.add(sizes, type).computed_in(compute);
}

}  // namespace

void cumsum(Outputs& outputs, Operand& input, std::optional<int64_t>& dim, std::optional<ScalarType>& dtype) {
  running(outputs, input, dim, dtype);
}

void cumprod(Outputs& outputs, Operand& input, std::optional<int64_t>& dim, std::optional<ScalarType>& dtype) {
  running(outputs, input, dim, dtype);
}

void linear_recurrence(Outputs& outputs, Operand& decay, Operand& input, int64_t& dim, bool&) {
  TNP_CHECK(decay->sizes() == input->sizes(), ErrorKind::Shape, "decay of shape ", decay->sizes(),
            " and input of shape ", input->sizes(), " differ");
  dim = wrap_dim(dim, input->dim());
  const ScalarType type = result_type(decay, input), compute = compute_type(type);
  decay = native::to_dense(decay, compute);
  input = native::to_dense(input, compute);
  outputs.add(input->sizes(), type).computed_in(compute);
}

}  // namespace tnp::meta
