#include "aten/dispatch/checks.h"

#include <array>

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/iterator/dense.h"
#include "aten/operator_tables/comparison.h"
#include "aten/operator_tables/reductions.h"

namespace tnp::checks {

namespace {

bool any_negative(const Tensor& t) {
  const std::array operands{t, wrapped_number(Scalar(0))};
  return reduce(reduction_ops::any, pointwise(pointwise_ops::lt, operands), std::nullopt, false).item<bool>();
}

}  // namespace

void integer_power(TensorList inputs, ScalarType compute) {
  // PyTorch raises for a number. The powers to elements of a tensor are 0, 1 or -1.
  if (dialect().face() == Face::Torch && !inputs[1].is_wrapped_number()) return;
  if (!is_integral(compute) || inputs[0].numel() == 0 || inputs[1].numel() == 0) return;
  // With casting='unsafe', exponents may be floats, or unsigned numbers that the loop would read as
  // negative ones.
  const bool may_wrap = !is_integral(inputs[1].dtype()) || inputs[1].itemsize() >= element_size(compute);
  const Tensor exponent = !is_signed_integer(inputs[1].dtype()) && is_signed_integer(compute) && may_wrap
                              ? native::to_dtype(inputs[1], compute)
                              : inputs[1];
  if (!is_signed_integer(exponent.dtype())) return;
  const bool negative = exponent.numel() == 1 ? exponent.item<int64_t>() < 0 : any_negative(exponent);
  TNP_CHECK(!negative, ErrorKind::Domain, "Integers to negative integer powers are not allowed.");
}

void lerp_dtypes(TensorList inputs, ScalarType) {
  const ScalarType dtype = inputs[0].dtype();
  TNP_CHECK(!is_integral(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  TNP_CHECK(inputs[1].dtype() == dtype, ErrorKind::Dtype, "{end} has dtype ", inputs[1].dtype(), ", but {input} has ",
            dtype);
  TNP_CHECK(inputs[2].dtype() == dtype || inputs[2].dim() == 0, ErrorKind::Dtype, "{weight} has dtype ",
            inputs[2].dtype(), ", but {input} has ", dtype);
}

}  // namespace tnp::checks
