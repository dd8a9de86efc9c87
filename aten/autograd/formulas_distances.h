// Helpers of the derivative formulas of distances.
#pragma once

#include <array>
#include <tuple>

#include "aten/core/tensor.h"

namespace tnp::formulas {

// The gradients of cdist_backward with respect to its weights `grad_output`, both sets of rows and
// the distances. The distances are a separate variable here; the gradient through them is computed
// by cdist's first derivative.
TNP_API std::tuple<Tensor, Tensor, Tensor, Tensor> cdist_double_backward(const Tensor& grad, const Tensor& grad_output,
                                                                         const Tensor& x1, const Tensor& x2, double p,
                                                                         const Tensor& distances,
                                                                         const std::array<bool, 4>& output_mask);

}  // namespace tnp::formulas
