// Activations with number arguments (leaky_relu(x, 0.1)). Each number becomes an operand of a
// pointwise operator.
#include "aten/functions/activation.h"

#include <cmath>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/numbers/range.h"
#include "aten/functions/nn.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/activation.h"
#include "aten/native_functions/comparison.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

void check_floating(const Tensor& input) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
}
void check_real(const Tensor& input) {
  TNP_CHECK(!is_bool(input.dtype()) && !input.is_complex(), ErrorKind::NotImplemented, "not implemented for ",
            input.dtype());
}

// Converts a number argument, which `dtype` must hold, to a tensor. A fractional number is truncated
// if `input` is an integer tensor, so the result keeps the dtype of `input`.
Tensor number_for(const Tensor& input, const Scalar& value, ScalarType dtype) {
  check_fits(value, dtype);
  if (is_integral(input.dtype()) && !value.is_integral()) return wrapped_number(Scalar(value.to<int64_t>()));
  return wrapped_number(value);
}
// A bound of hardtanh(), truncated for integer tensors.
Scalar bound(const Tensor& input, const Scalar& value) {
  if (!is_integral(input.dtype()) || value.is_integral()) return value;
  check_fits(value, ScalarType::Int64);
  return Scalar(value.to<int64_t>());
}
// A number that takes part in the computation: 16-bit floats compute in float32.
Tensor factor_for(const Tensor& input, const Scalar& value) {
  return number_for(input, value, compute_type(input.dtype()));
}

}  // namespace

Tensor gelu(const Tensor& input, std::string_view approximate) {
  TNP_CHECK(approximate == "none" || approximate == "tanh", ErrorKind::Shape, "{approximate} is '", approximate,
            "', not 'none' or 'tanh'");
  return approximate == "none" ? tnp::gelu_erf(input) : tnp::gelu_tanh(input);
}

Tensor elu(const Tensor& input, const Scalar& alpha) {
  check_floating(input);
  return tnp::elu_of(input, factor_for(input, alpha));
}

Tensor celu(const Tensor& input, const Scalar& alpha) {
  check_floating(input);
  TNP_CHECK(alpha.to<double>() != 0, ErrorKind::Shape, "{alpha} is 0");
  return tnp::celu_of(input, factor_for(input, alpha));
}

Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) {
  check_floating(input);
  return tnp::leaky_relu_of(input, factor_for(input, negative_slope));
}

Tensor hardshrink(const Tensor& input, const Scalar& lambd) {
  check_floating(input);
  return tnp::hardshrink_of(input, number_for(input, lambd, input.dtype()));
}

Tensor softshrink(const Tensor& input, const Scalar& lambd) {
  check_floating(input);
  const double number = lambd.to<double>(), largest = largest_finite(input.dtype());
  TNP_CHECK(number >= 0 && number <= largest, ErrorKind::Shape, "{lambd} must be in range [0, ", largest,
            "] for input dtype ", InTorch{input.dtype()}, ", but found ", lambd);
  return tnp::softshrink_of(input, wrapped_number(lambd));
}

Tensor softplus(const Tensor& input, const Scalar& beta, const Scalar& threshold) {
  check_floating(input);
  return tnp::softplus_of(input, factor_for(input, beta), factor_for(input, threshold));
}

Tensor hardtanh(const Tensor& input, const Scalar& min_val, const Scalar& max_val) {
  check_real(input);
  TNP_CHECK(!(min_val.to<double>() > max_val.to<double>()), ErrorKind::Value, "{min_val} ", min_val,
            " is above {max_val} ", max_val);
  // NaN as a bound makes all elements NaN.
  const bool any_nan = std::isnan(min_val.to<double>()) || std::isnan(max_val.to<double>());
  if (any_nan || is_integral(input.dtype())) return native::clamp(input, bound(input, min_val), bound(input, max_val));
  return tnp::hardtanh_of(input, number_for(input, min_val, input.dtype()), number_for(input, max_val, input.dtype()));
}

Tensor relu6(const Tensor& input) { return native::hardtanh(input, Scalar(0), Scalar(6)); }

Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value) {
  check_real(input);
  return tnp::threshold_of(input, factor_for(input, threshold), number_for(input, value, input.dtype()));
}

Tensor prelu(const Tensor& input, const Tensor& weight) {
  check_floating(input);
  TNP_CHECK(input.dtype() == weight.dtype(), ErrorKind::Dtype, "{weight} has dtype ", weight.dtype(),
            ", but {input} has ", input.dtype());
  if (weight.dim() == 0 || (weight.dim() == 1 && weight.numel() == 1))
    return tnp::prelu_of(input, tnp::reshape(weight, IntList{}));
  TNP_CHECK(weight.dim() == 1, ErrorKind::Shape, "{weight} of shape ", weight.sizes(), " has more than one axis");
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "{weight} of shape ", weight.sizes(),
            " has too many elements for a 0-d {input}");
  const int64_t channels = input.dim() > 1 ? input.size(1) : 1;
  TNP_CHECK(weight.numel() == channels, ErrorKind::Shape, "{weight} has ", weight.numel(),
            " numbers, {input} of shape ", input.sizes(), " has ", channels, " channels");
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[1] = channels;
  return tnp::prelu_of(input, tnp::reshape(weight, sizes));
}

Tensor glu(const Tensor& input, int64_t dim) {
  check_floating(input);
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "{input} is 0-d");
  dim = wrap_dim(dim, input.dim());
  const int64_t size = input.size(dim);
  TNP_CHECK(size % 2 == 0, ErrorKind::Shape, "{dim} ", dim, " of {input} has the odd size ", size);
  return tnp::narrow(input, dim, 0, size / 2) * tnp::sigmoid(tnp::narrow(input, dim, size / 2, size / 2));
}

}  // namespace tnp::native
