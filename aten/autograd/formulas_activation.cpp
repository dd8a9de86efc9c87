#include "aten/autograd/formulas_activation.h"

#include "aten/autograd/formulas_pointwise.h"
#include "aten/functions/activation.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/creation.h"
#include "aten/functions/embedding.h"
#include "aten/functions/nn.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/functors/activations.h"
#include "aten/kernels/dropout.h"
#include "aten/ops/indexing/embedding.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

namespace {
Tensor between(const Tensor& x, double least, double most) {
  return is_between(x, wrapped_number(least), wrapped_number(most));
}
}  // namespace

Tensor sigmoid_slope(const Tensor& x) {
  const Tensor s = sigmoid(x);
  return s * (1 - s);
}

Tensor silu_curvature(const Tensor& x) {
  const Tensor s = sigmoid(x);
  return s * (1 - s) * (2 + x * (1 - 2 * s));
}

// f = x t, t = tanh(softplus(x)): f'' = 2 t' + x t'', with t' = (1 - t^2) s and t'' = (1 - t^2) (s' - 2 t s^2).
Tensor mish_curvature(const Tensor& x) {
  const Tensor s = sigmoid(x), t = tanh(softplus_of(x, wrapped_number(1), wrapped_number(20))), u = 1 - t * t;
  return u * (2 * s + x * (s * (1 - s) - 2 * t * s * s));
}

Tensor hardsigmoid_curvature(const Tensor& x) { return zeros_like(x); }
Tensor hardswish_curvature(const Tensor& x) { return masked(full_like(x, 1.0 / 3), between(x, -3, 3)); }
Tensor logsigmoid_curvature(const Tensor& x) { return -sigmoid_slope(x); }
Tensor selu_curvature(const Tensor& x) {
  return masked((kSeluScale * kSeluAlpha) * exp(minimum(x, wrapped_number(0))), x <= 0);
}

// f = x P(x), where P is the cumulative distribution function of the normal distribution: f'' = (2
// - x^2) P'.
Tensor gelu_erf_curvature(const Tensor& x) {
  const Tensor square = x * x;
  return (2 - square) * exp(square * -0.5) * 0.3989422804014326779;
}

// f = x s(u), where s is the sigmoid and u a cubic polynomial of x: f'' = s' (2 u' + x u'') + x s''
// u'^2, with s'' = s' (1 - 2 s).
Tensor gelu_tanh_curvature(const Tensor& x) {
  constexpr double kSlope = 1.5957691216057308, kCube = 0.044715;
  const Tensor square = x * x, u = kSlope * x * (1 + kCube * square), s = sigmoid(u), s1 = s * (1 - s);
  const Tensor u1 = kSlope * (1 + 3 * kCube * square), u2 = (kSlope * 6 * kCube) * x;
  return s1 * (2 * u1 + x * u2 + x * (1 - 2 * s) * u1 * u1);
}

Tensor softplus_gradient(const Tensor& grad, const Tensor& input, const Tensor& beta, const Tensor& threshold) {
  return where(input * beta > threshold, grad, softplus_backward(grad, input, beta));
}

Tensor embedding_rows(const Tensor& grad, const Tensor& indices, int64_t padding_idx, bool scale_grad_by_freq) {
  return native::embedding_weights(embedding(grad, indices, -1, false, false), indices, padding_idx,
                                   scale_grad_by_freq ? grad.size(0) : 0);
}

Tensor dropout_scale(ScalarType dtype, double keep, bool alpha) {
  return wrapped_number(dropout_rule(dtype, keep, alpha).scale);
}

}  // namespace tnp::formulas
