#include "aten/ops/checks.h"

#include "aten/core/thread_state.h"
#include "aten/functions.h"
#include "aten/ops/operators.h"

namespace tnp::checks {

void integer_power(TensorList inputs, ScalarType compute) {
  const Tensor& exponent = inputs[1];
  if (!is_integral(compute) || !is_signed_integer(exponent.dtype()) || exponent.numel() == 0) return;
  NoGradGuard no_grad;
  bool negative =
      exponent.numel() == 1 ? exponent.item<int64_t>() < 0 : any(exponent < 0, std::nullopt, false).item<bool>();
  TNP_CHECK(!negative, ErrorKind::Domain, "Integers to negative integer powers are not allowed.");
}

}  // namespace tnp::checks
