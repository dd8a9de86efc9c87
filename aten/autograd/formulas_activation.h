// Helpers of the derivative formulas of activation functions, mostly for their second derivatives.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::formulas {

// The derivative of sigmoid: s (1 - s), where s = sigmoid(x).
TNP_API Tensor sigmoid_slope(const Tensor& x);
TNP_API Tensor silu_curvature(const Tensor& x);
TNP_API Tensor mish_curvature(const Tensor& x);
TNP_API Tensor hardsigmoid_curvature(const Tensor& x);
TNP_API Tensor hardswish_curvature(const Tensor& x);
TNP_API Tensor logsigmoid_curvature(const Tensor& x);
TNP_API Tensor selu_curvature(const Tensor& x);
TNP_API Tensor gelu_erf_curvature(const Tensor& x);
TNP_API Tensor gelu_tanh_curvature(const Tensor& x);
// grad where softplus is the identity, else grad times the slope of softplus.
TNP_API Tensor softplus_gradient(const Tensor& grad, const Tensor& input, const Tensor& beta, const Tensor& threshold);

// The number by which dropout scales the elements that it keeps.
TNP_API Tensor dropout_scale(ScalarType dtype, double keep, bool alpha);

// --- second derivative of embedding
TNP_API Tensor embedding_rows(const Tensor& grad, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq);

}  // namespace tnp::formulas
