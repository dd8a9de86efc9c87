#include "aten/dispatch/checks.h"

#include <array>

#include "aten/core/numbers/range.h"
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
  const bool is_torch = dialect().face() == Face::Torch;
  if (is_torch && !inputs[1].is_wrapped_number()) return;
  if (!is_integral(compute) || inputs[0].numel() == 0 || inputs[1].numel() == 0) return;
  if (is_torch && inputs[1].item().to<double>() > 0) check_fits(inputs[1].item(), compute);
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

void zero_divisor(TensorList inputs, ScalarType compute) {
  if (dialect().face() == Face::NumPy || !is_integral(compute)) return;
  const Tensor &dividend = inputs[0], &divisor = inputs[1];
  if (!dividend.device().is_cpu() || !divisor.device().is_cpu()) return;
  if (dividend.numel() == 0 || divisor.numel() == 0) return;
  const bool has_zero = divisor.numel() == 1 ? !divisor.item().to<bool>()
                                             : !reduce(reduction_ops::all, divisor, std::nullopt, false).item<bool>();
  TNP_CHECK(!has_zero, ErrorKind::Domain, "ZeroDivisionError");
}

void ordered_numbers(TensorList, ScalarType compute) {
  TNP_CHECK(!is_complex(compute) || dialect().face() == Face::NumPy, ErrorKind::Type,
            "not implemented for complex tensors");
}

void real_in_numpy(TensorList, ScalarType compute) {
  TNP_CHECK(!is_complex(compute) || dialect().face() == Face::Torch, ErrorKind::Type,
            "ufunc not supported for the input types: it has no loop for ", compute);
}

bool accepts_any_elements(Check check, ScalarType compute, const Scalar* last) {
  const bool is_torch = dialect().face() == Face::Torch;
  if (check == &lerp_dtypes) return false;  // it also looks at the dtypes of numbers
  if (is_complex(compute)) return check != (is_torch ? &ordered_numbers : &real_in_numpy);
  if ((check != &integer_power && check != &zero_divisor) || !is_integral(compute)) return true;
  if (check == &zero_divisor && !is_torch) return true;
  return last && last->is_integral() && last->to<double>() > 0 && (check != &integer_power || last->fits(compute));
}

void lerp_dtypes(TensorList inputs, ScalarType) {
  const ScalarType dtype = inputs[0].dtype();
  TNP_CHECK(!is_integral(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  TNP_CHECK(inputs[1].dtype() == dtype, ErrorKind::Dtype, "{end} has dtype ", inputs[1].dtype(), ", but {input} has ",
            dtype);
  TNP_CHECK(inputs[2].dtype() == dtype || inputs[2].dim() == 0, ErrorKind::Dtype, "{weight} has dtype ",
            inputs[2].dtype(), ", but {input} has ", dtype);
  if (inputs[2].is_wrapped_number()) check_fits(inputs[2].item(), compute_type(dtype));
}

}  // namespace tnp::checks
