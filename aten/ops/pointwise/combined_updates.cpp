// Sums with a factor (add and sub with alpha, rsub, addcmul, addcdiv), and nan_to_num.
#include <limits>
#include <string>

#include "aten/core/errors/pending_warnings.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/numbers/range.h"
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

// PyTorch's rules for the factor alpha of sums in `dtype`: raises Runtime.
void check_alpha(ScalarType dtype, const Scalar& alpha) {
  TNP_CHECK(!alpha.is_bool() || is_bool(dtype), ErrorKind::Runtime,
            "Boolean {alpha} only supported for Boolean results, not for ", dtype);
  TNP_CHECK(!is_integral(dtype) || is_integral(alpha.dtype()), ErrorKind::Runtime,
            "For integral input tensors, argument {alpha} must not be a floating point number, but is ", alpha);
  TNP_CHECK(is_complex(dtype) || !alpha.is_complex(), ErrorKind::Runtime,
            "For non-complex input tensors, argument {alpha} must not be a complex number, but is ", alpha);
}

// `alpha` * `t`, where t is added to or subtracted from `beside`.
Tensor scaled(const Tensor& t, const Scalar& alpha, const Tensor& beside) {
  const ScalarType dtype = result_type(beside, t);
  check_alpha(dtype, alpha);
  check_fits(alpha, dtype);
  if (is_bool(dtype)) return t * Scalar(alpha.to<bool>());
  return (t.dtype() == dtype || t.is_wrapped_number() ? t : tnp::cast(t, dtype)) * alpha;
}

// Returns `value` as a factor for tensors of `dtype`. For integer dtypes, the value is truncated.
Scalar factor(ScalarType dtype, const Scalar& value) {
  check_fits(value, compute_type(dtype));
  return is_integral(dtype) && !value.is_complex() ? Scalar(value.to<int64_t>()) : value;
}

bool is_one(const Scalar& value) { return !value.is_complex() && value.to<double>() == 1; }

}  // namespace

Tensor add_alpha(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  return tnp::add(input, scaled(other, alpha, input));
}
Tensor sub_alpha(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  return tnp::sub(input, scaled(other, alpha, input));
}
Tensor add_Scalar(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  return native::add_alpha(input, wrapped_number(other), alpha);
}
Tensor sub_Scalar(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  return native::sub_alpha(input, wrapped_number(other), alpha);
}

Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  return tnp::sub(other, is_one(alpha) && !alpha.is_bool() ? input : scaled(input, alpha, other));
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
  TNP_CHECK(
      !is_integral(tensor1.dtype()) || !is_integral(tensor2.dtype()), ErrorKind::Dtype,
      "Integer division with addcdiv is no longer supported: {tensor1} and {tensor2} must not both be of integers; "
      "divide them first, with div() and a rounding_mode");
  return input + (is_one(value) ? tensor1 : tensor1 * factor(result_type(tensor1, tensor2), value)) / tensor2;
}

namespace {
// PyTorch's text, to its end.
void warn_of_order(const char* name, const char* given, const char* wanted) {
  warn_caller(std::string("This overload of ") + name + " is deprecated:\n\t" + name + given +
              "\nConsider using one of the following signatures instead:\n\t" + name + wanted);
}
}  // namespace

Tensor add_factor(const Tensor& input, const Scalar& alpha, const Tensor& other) {
  warn_of_order("add", "(Tensor input, Number alpha, Tensor other)",
                "(Tensor input, Tensor other, *, Number alpha = 1)");
  return tnp::add(input, other, alpha);
}
Tensor sub_factor(const Tensor& input, const Scalar& alpha, const Tensor& other) {
  warn_of_order("sub", "(Tensor input, Number alpha, Tensor other)",
                "(Tensor input, Tensor other, *, Number alpha = 1)");
  return tnp::sub(input, other, alpha);
}
Tensor addcmul_factor(const Tensor& input, const Scalar& value, const Tensor& tensor1, const Tensor& tensor2) {
  warn_of_order("addcmul", "(Tensor input, Number value, Tensor tensor1, Tensor tensor2)",
                "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1)");
  return tnp::addcmul(input, tensor1, tensor2, value);
}
Tensor addcdiv_factor(const Tensor& input, const Scalar& value, const Tensor& tensor1, const Tensor& tensor2) {
  warn_of_order("addcdiv", "(Tensor input, Number value, Tensor tensor1, Tensor tensor2)",
                "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1)");
  return tnp::addcdiv(input, tensor1, tensor2, value);
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
