#include "aten/autograd/formulas_pointwise.h"

#include "aten/autograd/variable.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"

namespace tnp::formulas {

namespace {

Tensor zero() { return wrapped_number(0); }

// Mask of the elements where the base is 0 and the exponent's real part is not negative. There, the
// derivative with respect to the exponent is 0.
Tensor is_zero_power(const Tensor& input, const Tensor& exponent) {
  return logical_and(input == 0, real_part(exponent) >= 0);
}

}  // namespace

Tensor one_minus_square(const Tensor& x) { return x.is_complex() ? -(x * x - 1) : 1 - x * x; }

Tensor real_part(const Tensor& grad) { return grad.is_complex() ? real(grad) : grad; }

Tensor masked(const Tensor& grad, const Tensor& mask) { return where(mask, grad, zero()); }

Tensor scaled(const Tensor& grad, const Tensor& factor) { return grad.defined() ? grad * factor : Tensor(); }

Tensor loaded(const Tensor& grad, const Tensor& exponent) {
  return grad.defined() ? load_exponent(grad, exponent) : Tensor();
}

Tensor difference(const Tensor& a, const Tensor& b) { return where(logical_and(a == b, isinf(a)), zero(), a - b); }

Tensor larger_share(const Tensor& grad, const Tensor& a, const Tensor& b) {
  return where(a == b, grad / 2, masked(grad, logical_not(a < b)));
}

Tensor chosen_share(const Tensor& grad, const Tensor& is_chosen, const Tensor& a, const Tensor& b) {
  const Tensor is_only = logical_and(b != b, a == a);
  return where(a == b, grad / 2, masked(grad, logical_or(is_chosen, is_only)));
}

Tensor clip_input_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max) {
  const Tensor is_outside = logical_or(input<min, input> max);
  const Tensor is_at_one = ne(input == min, input == max);
  return masked(where(is_at_one, grad / 2, grad), logical_not(is_outside));
}

Tensor clip_min_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max) {
  return masked(where(input == min, grad / 2, masked(grad, input < min)), min < max);
}

Tensor clip_max_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max) {
  const Tensor is_at = logical_and(input == max, min < max);
  return where(is_at, grad / 2, masked(grad, logical_or(input > max, max < min)));
}

Tensor pow_input_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent) {
  // At exponent 0 the derivative is 0, even where input^-1 is infinite. Replacing the exponent -1
  // by 0 gives 0 * input^0 = 0.
  Tensor less = is_bool(exponent.dtype()) ? zero() : exponent - 1;  // booleans have no subtraction
  // If second derivatives with respect to the exponent are needed, only the elements that would
  // give NaN are masked, because that derivative at exponent 0 is input^-1.
  Tensor masked_at = exponent == 0;
  if (needs_derivatives(exponent)) masked_at = logical_and(masked_at, logical_or(input == 0, input != input));
  Tensor lowered = where(masked_at, zero(), less);
  return grad * conjugated(exponent * pow(input, lowered));
}

Tensor pow_exponent_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent, const Tensor& result) {
  Tensor flat = is_zero_power(input, exponent);
  Tensor base = where(flat, wrapped_number(1), input);
  // Real bases may be negative, whose logarithm is complex.
  if (result.is_complex() && !base.is_complex()) base = cast(base, result.dtype());
  return grad * conjugated(where(flat, zero(), result * log(base)));
}

Tensor sign_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  if (!input.is_complex()) return zeros_like(grad);
  Tensor at_zero = input == 0;
  Tensor size = where(at_zero, wrapped_number(1), abs(input));
  Tensor along = real(grad * conjugated(result));  // |result| is 1
  return masked((grad - along * result) / size, logical_not(at_zero));
}

Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  if (result.dim() == 0) return zeros_like(grad);
  if (!needs_derivatives(grad, result)) return softmax_gradient(grad, result, dim, false);
  return result * (grad - sum(grad * result, IntList{dim}, true));
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  if (result.dim() == 0) return zeros_like(grad);
  if (!needs_derivatives(grad, result)) return softmax_gradient(grad, result, dim, true);
  return grad - exp(result) * sum(grad, IntList{dim}, true);
}

}  // namespace tnp::formulas
