// Helpers of the derivative formulas of special functions.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// Raises NotImplemented, because the derivative of the function `name` with respect to `argument`
// is not known in closed form.
[[noreturn]] TNP_API Tensor no_derivative(const Tensor& grad, const char* name, const char* argument);
// A 0-d tensor that contains `value`, on the device of `like`. The tensor is weak in dtype
// promotion, as a Python number is.
TNP_API Tensor scalar_like(double value, const Tensor& like);
// value / input, and `limit` where input is 0.
TNP_API Tensor over_input(const Tensor& value, const Tensor& input, double limit);
// The derivative of sin(pi x) / (pi x). The derivative at x = 0 is 0.
TNP_API Tensor sinc_slope(const Tensor& x);

}  // namespace tnp::formulas
