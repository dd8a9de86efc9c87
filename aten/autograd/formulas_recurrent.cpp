#include "aten/autograd/formulas_recurrent.h"

#include <algorithm>
#include <array>

#include "aten/autograd/engine.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/linear.h"
#include "aten/functions/nn.h"
#include "aten/functions/recurrent.h"
#include "aten/functions/recurrent_cells.h"
#include "aten/functions/shape.h"
#include "aten/functions/transcendental.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

namespace {

struct Layer {
  Tensor input, h, c, weight_ih, weight_hh, bias_ih, bias_hh;
};

// Computes one time step for some rows of the batch. `x`: the product of the input and its weights.
// Returns the new hidden state and updates the cell state `c`.
Tensor step(const Layer& layer, const Tensor& x, const Tensor& h, Tensor& c, std::string_view mode) {
  const Tensor product = linear(h, layer.weight_hh, layer.bias_hh);
  if (mode == "lstm") {
    auto [state, cells, saved] = _lstm_cell(x, product, c);
    c = cells;
    return state;
  }
  if (mode == "gru") return std::get<0>(_gru_cell(x, product, h));
  return mode == "rnn_tanh" ? tanh(x + product) : relu(x + product);
}

// Returns out, h_n and, for an LSTM, c_n.
std::array<Tensor, 3> composed(const Layer& layer, std::string_view mode, bool reverse, IntList batch_sizes) {
  const int64_t steps = layer.input.size(0), rows = layer.input.size(1);
  const Tensor products = linear(layer.input, layer.weight_ih, layer.bias_ih);
  Tensor h = layer.h, c = layer.c;
  Tensors outputs(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reverse ? steps - 1 - i : i;
    const int64_t active = batch_sizes.empty() ? rows : batch_sizes[static_cast<size_t>(t)];
    auto first = [&](const Tensor& x) { return active < rows ? narrow(x, 0, 0, active) : x; };
    auto followed_by = [&](const Tensor& x, const Tensor& rest) { return active < rows ? cat(Tensors{x, rest}) : x; };
    auto others = [&](const Tensor& x) { return narrow(x, 0, active, rows - active); };
    Tensor cells = c.defined() ? first(c) : Tensor();
    const Tensor state = step(layer, first(select(products, 0, t)), first(h), cells, mode);
    if (c.defined()) c = followed_by(cells, others(c));
    outputs[static_cast<size_t>(t)] = followed_by(state, zeros_like(others(h)));
    h = followed_by(state, others(h));
  }
  return {stack(outputs), h, c};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> recurrent_gradients(
    const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& input, const Tensor& h_0,
    const Tensor& c_0, const Tensor& weight_ih, const Tensor& weight_hh, const Tensor& bias_ih, const Tensor& bias_hh,
    std::string_view mode, bool reverse, IntList batch_sizes, const Tensor& out, const Tensor& saved,
    const Tensor& cells, std::span<const bool> output_mask) {
  if (!grad_enabled()) {
    return recurrent_backward(grad_out, grad_h, grad_c, input, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, mode,
                              reverse, batch_sizes, out, saved, cells, output_mask);
  }
  // Repeats the steps on aliases of the operands, so that the inner backward pass ends at them.
  Tensor leaves[] = {input, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh};
  Tensors wanted;
  for (size_t i = 0; i < std::size(leaves); ++i) {
    if (!leaves[i].defined()) continue;
    leaves[i] = alias(leaves[i]);
    if (output_mask[i]) wanted.push_back(leaves[i]);
  }
  const ScalarType dtype = compute_type(input.dtype());
  auto computed = [&](const Tensor& t) { return t.defined() ? cast(t, dtype) : t; };
  const Layer layer{computed(leaves[0]), computed(leaves[1]), computed(leaves[2]), computed(leaves[3]),
                    computed(leaves[4]), computed(leaves[5]), computed(leaves[6])};
  const auto results = composed(layer, mode, reverse, batch_sizes);
  const Tensor given[] = {grad_out, grad_h, grad_c};
  Tensors roots, grads;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!given[i].defined() || !results[i].defined() || !results[i].requires_grad()) continue;
    roots.push_back(results[i]);
    grads.push_back(computed(given[i]));
  }
  Tensors found = grad(roots, wanted, grads, true, true, true);
  Tensor of[std::size(leaves)];
  for (size_t i = 0, k = 0; i < std::size(leaves); ++i)
    if (leaves[i].defined() && output_mask[i]) of[i] = std::move(found[k++]);
  return {of[0], of[1], of[2], of[3], of[4], of[5], of[6]};
}

}  // namespace tnp::formulas
