// Helpers of the derivative formulas of reductions and scans.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// `mask` is the where= of the forward pass, or undefined; masked-out elements get no gradient.
// `initial` is the reduction's initial value as a 0-d tensor, or undefined.

// d(sum)/d(x_i) = 1: each input element gets the gradient of its output element. `grad` has the
// shape of the result. Returns a view of shape `sizes` with stride 0 along `dim`, or a new tensor
// if there is a mask.
TNP_API Tensor expand_reduced(const Tensor& grad, IntList sizes, const OptIntList& dim, const Tensor& mask = {});

TNP_API Tensor mean_backward(const Tensor& grad, IntList sizes, const OptIntList& dim, const Tensor& mask);
// Gradient of a product: for each element, grad times the product of all other elements. The result
// is exact even if some elements are zero.
TNP_API Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                             const Tensor& mask, const Tensor& initial);
TNP_API Tensor prod_initial_backward(const Tensor& grad, const Tensor& input, const OptIntList& dim,
                                     const Tensor& mask);
TNP_API Tensor var_backward(const Tensor& grad, const Tensor& input, const OptIntList& dim, double correction,
                            const Tensor& mask);
TNP_API Tensor std_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                            double correction, const Tensor& mask);
// For amax and amin: equal extrema share the gradient evenly; `initial` counts as one more element.
// Where the extremum is NaN, the gradients are NaN.
TNP_API Tensor extremum_backward(const Tensor& grad, const Tensor& input, const Tensor& result, const OptIntList& dim,
                                 const Tensor& mask, const Tensor& initial);
TNP_API Tensor extremum_initial_backward(const Tensor& grad, const Tensor& input, const Tensor& result,
                                         const OptIntList& dim, const Tensor& mask, const Tensor& initial);
// For max, min and medians of all elements: the elements that equal the result share the gradient
// evenly. If the result is NaN, these are the NaNs.
TNP_API Tensor evenly_shared_backward(const Tensor& grad, const Tensor& input, const Tensor& result);
// For max and min along one axis: the selected element gets the whole gradient.
TNP_API Tensor picked_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);

TNP_API Tensor cumsum_backward(const Tensor& grad, IntList sizes, const std::optional<int64_t>& dim);
TNP_API Tensor cumprod_backward(const Tensor& grad, const Tensor& input, const std::optional<int64_t>& dim);
// Gradients of the linear recurrence y_k = a_k y_(k-1) + b_k; with `reverse`, y_k = a_k y_(k+1) +
// b_k. The gradient of b is the same recurrence over `grad` in the opposite direction. The gradient
// of a_k is the gradient of b_k times y_(k-1).
TNP_API Tensor recurrence_input_backward(const Tensor& grad, const Tensor& decay, int64_t dim, bool reverse);
TNP_API Tensor recurrence_decay_backward(const Tensor& grad, const Tensor& decay, const Tensor& result, int64_t dim,
                                         bool reverse);

}  // namespace tnp::formulas
