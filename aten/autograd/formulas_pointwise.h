// Helpers of the derivative formulas of pointwise operators.
#pragma once

#include "aten/core/tensor.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

// 1 - x^2. For complex x, the sign of a zero imaginary part tells on which side of the square
// root's branch cut the result lies: 2 + 0i gives -3 - 0i, and 2 - 0i gives -3 + 0i.
TNP_API Tensor one_minus_square(const Tensor& x);
// The real part of grad. Used for real results that are written into a complex tensor, as by
// abs_().
TNP_API Tensor real_part(const Tensor& grad);
// grad where mask is true, else 0 (also where grad is NaN).
TNP_API Tensor masked(const Tensor& grad, const Tensor& mask);
// grad * factor, and ldexp(grad, exponent). If grad is undefined, the result is undefined too.
// An operator with several results gets an undefined gradient for each result that was not used.
TNP_API Tensor scaled(const Tensor& grad, const Tensor& factor);
TNP_API Tensor loaded(const Tensor& grad, const Tensor& exponent);
// a - b, but 0 where they are equal infinities.
TNP_API Tensor difference(const Tensor& a, const Tensor& b);
// The part of grad that flows to a in maximum(a, b): all where a is larger, half where they are
// equal.
TNP_API Tensor larger_share(const Tensor& grad, const Tensor& a, const Tensor& b);

TNP_API Tensor pow_input_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent);
TNP_API Tensor pow_exponent_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent,
                                     const Tensor& result);
// Gradient of z / |z|: only the component of grad perpendicular to z counts. 0 for real numbers.
TNP_API Tensor sign_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);
TNP_API Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);

}  // namespace tnp::formulas
