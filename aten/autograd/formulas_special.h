// Helpers of the derivative formulas of special functions.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// Raises NotImplemented: the derivative with respect to that argument is not known in closed form.
[[noreturn]] TNP_API Tensor no_derivative(const Tensor& grad, const char* name, const char* argument);
// A 0-d tensor with the value, weak in promotion, on the device of `like`.
TNP_API Tensor scalar_like(double value, const Tensor& like);
// value / input, and `limit` where input is 0.
TNP_API Tensor over_input(const Tensor& value, const Tensor& input, double limit);
// The derivative of sin(pi x) / (pi x), 0 at 0.
TNP_API Tensor sinc_slope(const Tensor& x);

}  // namespace tnp::formulas
