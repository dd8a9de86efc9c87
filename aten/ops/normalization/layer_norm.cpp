// Layer normalisation. If its gradient is to be differentiated again, the gradient is computed by
// differentiable operators.

#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/kernels/normalized_rows.h"
#include "aten/native_functions/nn.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
  return std::get<0>(tnp::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

namespace {

// Computes the gradients by differentiable operators. Recomputes mean and rstd from `input`,
// because the saved ones have no history.
std::tuple<Tensor, Tensor, Tensor> composed_backward(const Tensor& grad, const Tensor& input,
                                                     const NormalizedRows& rows, const Tensor& weight, double eps,
                                                     std::span<const bool> wanted) {
  const ScalarType dtype = compute_type(input.dtype());
  const Tensor x = tnp::cast(input, dtype), dy = tnp::cast(grad, dtype);
  const Tensor centred = x - tnp::mean(x, rows.dims, true);
  const Tensor rstd = tnp::reciprocal(tnp::sqrt(tnp::mean(tnp::square(centred), rows.dims, true) + Scalar(eps)));
  const Tensor h = centred * rstd;
  Tensor grad_input, grad_weight, grad_bias;
  if (wanted[0]) {
    const Tensor g = weight.defined() ? dy * tnp::cast(weight, dtype) : dy;
    grad_input = rstd * (g - tnp::mean(g, rows.dims, true) - h * tnp::mean(g * h, rows.dims, true));
  }
  DimVector leading;
  for (int64_t i = 0; i < input.dim() - static_cast<int64_t>(rows.dims.size()); ++i) leading.push_back(i);
  auto over_rows = [&](const Tensor& t) { return leading.empty() ? t : tnp::sum(t, leading, false); };
  if (wanted[1]) grad_weight = over_rows(dy * h);
  if (wanted[2]) grad_bias = over_rows(dy);
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Tensor& input,
                                                       IntList normalized_shape, const Tensor& mean, const Tensor& rstd,
                                                       const Tensor& weight, double eps,
                                                       std::span<const bool> output_mask) {
  if (needs_derivatives(grad, input, weight))
    return composed_backward(grad, input, NormalizedRows(input, normalized_shape), weight, eps, output_mask);
  return tnp::layer_norm_gradients(grad, input, normalized_shape, mean, rstd, weight, output_mask);
}

}  // namespace tnp::native
