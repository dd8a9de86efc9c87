#include "aten/dispatch/checks.h"

#include <array>

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
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
  const Tensor& exponent = inputs[1];
  if (!is_integral(compute) || !is_signed_integer(exponent.dtype()) || inputs[0].numel() == 0 || exponent.numel() == 0)
    return;
  const bool negative = exponent.numel() == 1 ? exponent.item<int64_t>() < 0 : any_negative(exponent);
  TNP_CHECK(!negative, ErrorKind::Domain, "Integers to negative integer powers are not allowed.");
}

}  // namespace tnp::checks
