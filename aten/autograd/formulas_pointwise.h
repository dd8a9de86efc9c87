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
// grad where mask is true, and 0 where mask is false, even if grad is NaN there.
TNP_API Tensor masked(const Tensor& grad, const Tensor& mask);
// grad * factor, and load_exponent(grad, exponent). If grad is undefined, the result is undefined too.
// An operator with several results gets an undefined gradient for each result that was not used.
TNP_API Tensor scaled(const Tensor& grad, const Tensor& factor);
TNP_API Tensor loaded(const Tensor& grad, const Tensor& exponent);
// a - b, but 0 where a and b are the same infinity.
TNP_API Tensor difference(const Tensor& a, const Tensor& b);
// The gradient of maximum(a, b) with respect to a: 0 where a < b, grad / 2 where a == b, and grad
// elsewhere (also where one of them is NaN).
TNP_API Tensor larger_share(const Tensor& grad, const Tensor& a, const Tensor& b);

// The gradient of fmax(a, b) or fmin(a, b) with respect to `a`, which is the result where
// `is_chosen`, and where `b` alone is NaN; grad / 2 where a == b.
TNP_API Tensor chosen_share(const Tensor& grad, const Tensor& is_chosen, const Tensor& a, const Tensor& b);
// Gradients of clip_both(). Where the input is equal to one of two bounds that differ, both have
// half.
TNP_API Tensor clip_input_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max);
TNP_API Tensor clip_min_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max);
TNP_API Tensor clip_max_backward(const Tensor& grad, const Tensor& input, const Tensor& min, const Tensor& max);

TNP_API Tensor pow_input_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent);
TNP_API Tensor pow_exponent_backward(const Tensor& grad, const Tensor& input, const Tensor& exponent,
                                     const Tensor& result);
// Gradient of z / |z|: the component of grad that is perpendicular to z, divided by |z|. The
// gradient is 0 for real z.
TNP_API Tensor sign_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
TNP_API Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);
TNP_API Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);

}  // namespace tnp::formulas
