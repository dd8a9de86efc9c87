// Recurrent layers. A kernel computes the time steps. In the backward pass, this file computes the
// matrix products over all steps at once.
#include "aten/functions/recurrent.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/copies.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/recurrent.h"

namespace tnp::native {

std::tuple<Tensor, Tensor, Tensor> _recurrent_layer(const Tensor& input, const Tensor& h_0, const Tensor& c_0,
                                                    const Tensor& weight_ih, const Tensor& weight_hh,
                                                    const Tensor& bias_ih, const Tensor& bias_hh, std::string_view mode,
                                                    bool reverse, IntList batch_sizes) {
  bool keep = false;
  for (const Tensor* t : {&input, &h_0, &c_0, &weight_ih, &weight_hh, &bias_ih, &bias_hh})
    keep = keep || (grad_enabled() && t->defined() && t->requires_grad());
  auto [out, h_n, c_n, saved, cells] =
      tnp::recurrent_steps(input, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, mode, reverse, batch_sizes, keep);
  return {out, h_n, mode == "lstm" ? c_n : h_n};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> recurrent_backward(
    const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& input, const Tensor& h_0,
    const Tensor& c_0, const Tensor& weight_ih, const Tensor& weight_hh, const Tensor& bias_ih, const Tensor& bias_hh,
    std::string_view mode, bool reverse, IntList batch_sizes, const Tensor& out, const Tensor& saved,
    const Tensor& cells, std::span<const bool> output_mask) {
  // If the batch has fewer than 8 rows, one product over all steps computes the input's gradient.
  // Computing it step by step would be limited by the bandwidth for reading the input's weights.
  constexpr int64_t kFew = 8;
  const bool at_once = output_mask[0] && out.size(1) < kFew;
  auto [gates, products, before, of_input, h, c] =
      tnp::recurrent_steps_backward(grad_out, grad_h, grad_c, h_0, c_0, weight_ih, weight_hh, mode, reverse,
                                    batch_sizes, out, saved, cells, output_mask[0] && !at_once);
  const int64_t rows = out.size(0) * out.size(1);
  auto flat = [&](const Tensor& t) { return tnp::reshape(t, {rows, t.size(2)}); };
  const Tensor of_gates = flat(gates), of_products = products.defined() ? flat(products) : of_gates;
  auto weight = [&](const Tensor& of, const Tensor& lines) {
    return tnp::cast(tnp::matmul(tnp::transpose(of, 0, 1), tnp::cast(flat(lines), of.dtype())), out.dtype());
  };
  auto bias = [&](const Tensor& of) { return tnp::cast(tnp::sum(of, DimVector{0}, false, std::nullopt), out.dtype()); };
  if (at_once) {
    const Tensor product = tnp::matmul(of_gates, tnp::cast(weight_ih, of_gates.dtype()));
    of_input = tnp::reshape(tnp::cast(product, out.dtype()), input.sizes());
  }
  Tensor w_ih, w_hh, b_ih, b_hh;
  if (output_mask[3]) w_ih = weight(of_gates, input);
  if (output_mask[4]) w_hh = weight(of_products, before);
  if (output_mask[5] && bias_ih.defined()) b_ih = bias(of_gates);
  if (output_mask[6] && bias_hh.defined()) b_hh = b_ih.defined() && !products.defined() ? b_ih : bias(of_products);
  return {of_input, output_mask[1] ? h : Tensor(), output_mask[2] ? c : Tensor(), w_ih, w_hh, b_ih, b_hh};
}

}  // namespace tnp::native
