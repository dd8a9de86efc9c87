// Gradients of recurrent cells. Kernels compute them. If second derivatives are needed,
// differentiable operators compute them.
#include "aten/functions/recurrent_cells.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/nn.h"
#include "aten/functions/transcendental.h"
#include "aten/native_functions/recurrent_cells.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// The derivatives of tanh and sigmoid, (1 - x^2) and x (1 - x), in terms of their results.
Tensor tanh_slope(const Tensor& x) { return Scalar(1) - x * x; }
Tensor sigmoid_slope(const Tensor& x) { return x * (Scalar(1) - x); }

Tensor side_by_side(std::initializer_list<Tensor> gates) {
  const std::vector<Tensor> all(gates);
  return tnp::cat(all, -1);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const Tensor& grad_h, const Tensor& grad_c,
                                                      const Tensor& input_gates, const Tensor& state_gates,
                                                      const Tensor& c, const Tensor& c_n, const Tensor& saved,
                                                      std::span<const bool> output_mask) {
  if (!grad_h.defined() && !grad_c.defined()) return {};
  Tensor gates, before;
  if (!needs_derivatives(grad_h, grad_c, input_gates, state_gates, c)) {
    std::tie(gates, before) = tnp::lstm_cell_gradients(grad_h, grad_c, c, c_n, saved);
  } else {
    const ScalarType given = c.dtype(), dtype = compute_type(given);
    const std::vector<Tensor> parts = tnp::chunk(tnp::cast(input_gates, dtype) + tnp::cast(state_gates, dtype), 4, -1);
    const Tensor i = tnp::sigmoid(parts[0]), f = tnp::sigmoid(parts[1]), g = tnp::tanh(parts[2]),
                 o = tnp::sigmoid(parts[3]), b = tnp::cast(c, dtype), t = tnp::tanh(f * b + i * g);
    const Tensor dh = grad_h.defined() ? tnp::cast(grad_h, dtype) : tnp::zeros_like(t);
    Tensor total = dh * o * tanh_slope(t);
    if (grad_c.defined()) total = total + tnp::cast(grad_c, dtype);
    gates = tnp::cast(side_by_side({total * g * sigmoid_slope(i), total * b * sigmoid_slope(f),
                                    total * i * tanh_slope(g), dh * t * sigmoid_slope(o)}),
                      given);
    before = tnp::cast(total * f, given);
  }
  return {output_mask[0] ? gates : Tensor(), output_mask[1] ? gates : Tensor(), output_mask[2] ? before : Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad, const Tensor& input_gates,
                                                     const Tensor& state_gates, const Tensor& h, const Tensor& saved,
                                                     std::span<const bool> output_mask) {
  Tensor of_input, of_state, before;
  if (!needs_derivatives(grad, input_gates, state_gates, h)) {
    std::tie(of_input, of_state, before) = tnp::gru_cell_gradients(grad, h, saved);
  } else {
    const ScalarType given = h.dtype(), dtype = compute_type(given);
    const std::vector<Tensor> x = tnp::chunk(tnp::cast(input_gates, dtype), 3, -1),
                              s = tnp::chunk(tnp::cast(state_gates, dtype), 3, -1);
    const Tensor r = tnp::sigmoid(x[0] + s[0]), z = tnp::sigmoid(x[1] + s[1]), n = tnp::tanh(x[2] + r * s[2]),
                 dh = tnp::cast(grad, dtype);
    const Tensor dn = dh * (Scalar(1) - z) * tanh_slope(n), dz = dh * (tnp::cast(h, dtype) - n) * sigmoid_slope(z),
                 dr = dn * s[2] * sigmoid_slope(r);
    of_input = tnp::cast(side_by_side({dr, dz, dn}), given);
    of_state = tnp::cast(side_by_side({dr, dz, dn * r}), given);
    before = tnp::cast(dh * z, given);
  }
  return {output_mask[0] ? of_input : Tensor(), output_mask[1] ? of_state : Tensor(),
          output_mask[2] ? before : Tensor()};
}

}  // namespace tnp::native
