// addcmul, addcdiv, rsub, and nan_to_num.
#include <limits>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/arithmetic.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// Raises Runtime if the tensors have an integer dtype and alpha is not an integer (PyTorch's rule).
void check_alpha(ScalarType dtype, const Scalar& alpha) {
  TNP_CHECK(!is_integral(dtype) || is_integral(alpha.dtype()), ErrorKind::Runtime,
            "{alpha} must be an integer where the tensors are of integers, but is ", alpha);
}

// Returns `value` as a factor for tensors of `dtype`. For integer dtypes, the value is truncated.
Scalar factor(ScalarType dtype, const Scalar& value) {
  return is_integral(dtype) && !value.is_complex() ? Scalar(value.to<int64_t>()) : value;
}

bool is_one(const Scalar& value) { return !value.is_complex() && value.to<double>() == 1; }

double largest_finite(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float16:
      return 65504;
    case ScalarType::BFloat16:
      return 0x1.fep127;
    case ScalarType::Float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

}  // namespace

Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  check_alpha(result_type(input, other), alpha);
  return is_one(alpha) ? tnp::sub(other, input) : tnp::sub(other, input, alpha);
}

Tensor rsub_Scalar(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  return native::rsub(input, wrapped_number(other), alpha);
}

Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  const Tensor operands[] = {input, tensor1, tensor2};
  const ScalarType dtype = result_type(operands);
  TNP_CHECK(!is_bool(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  const Tensor product = tensor1 * tensor2;
  return input + (is_one(value) ? product : product * factor(dtype, value));
}

Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  TNP_CHECK(!is_integral(tensor1.dtype()) || !is_integral(tensor2.dtype()), ErrorKind::Dtype,
            "{tensor1} and {tensor2} must not both be of integers; divide them first, with div() and a rounding_mode");
  return input + (is_one(value) ? tensor1 : tensor1 * value) / tensor2;
}

Tensor nan_to_num(const Tensor& input, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (is_integral(input.dtype())) return tnp::clone(input);
  if (input.is_complex())
    return tnp::view_as_complex(native::nan_to_num(tnp::view_as_real(input), nan, posinf, neginf));
  const double largest = largest_finite(input.dtype());
  auto number = [&](double value) { return scalar_tensor(Scalar(value), input.dtype(), input.device()); };
  const Tensor infinite = tnp::where(tnp::gt(input, wrapped_number(Scalar(0))), number(posinf.value_or(largest)),
                                     number(neginf.value_or(-largest)));
  const Tensor known = tnp::where(tnp::isinf(input), infinite, input);
  return tnp::where(tnp::isnan(input), number(nan.value_or(0)), known);
}

}  // namespace tnp::native
