// Recurrent layers: what is one product for all steps, around the loop over steps.
#include "aten/functions/recurrent.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/linear.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/recurrent.h"
#include "aten/ops/operators.h"

namespace tnp::native {

std::tuple<Tensor, Tensor, Tensor> _recurrent_layer(const Tensor& input, const Tensor& h_0, const Tensor& c_0,
                                                    const Tensor& weight_ih, const Tensor& weight_hh,
                                                    const Tensor& bias_ih, const Tensor& bias_hh, std::string_view mode,
                                                    bool reverse, IntList batch_sizes) {
  TNP_CHECK(input.dim() == 3 && weight_ih.dim() == 2 && input.size(2) == weight_ih.size(1), ErrorKind::Shape,
            "{input} of shape ", input.sizes(), " and {weight_ih} of shape ", weight_ih.sizes(),
            " do not fit: the last sizes must be the same");
  // The product with the state stands apart in a GRU's new gate.
  const bool apart = mode == "gru";
  const Tensor bias = apart || !bias_hh.defined() ? bias_ih : bias_ih.defined() ? bias_ih + bias_hh : bias_hh;
  const Tensor gates = tnp::linear(input, weight_ih, bias);
  auto [out, h_n, c_n, saved, cells] =
      tnp::recurrent_steps(gates, h_0, c_0, weight_hh, apart ? bias_hh : Tensor(), mode, reverse, batch_sizes);
  return {out, h_n, mode == "lstm" ? c_n : h_n};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> recurrent_backward(
    const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& h_0, const Tensor& c_0,
    const Tensor& weight_hh, const Tensor& bias_hh, std::string_view mode, bool reverse, IntList batch_sizes,
    const Tensor& out, const Tensor& saved, const Tensor& cells, std::span<const bool> output_mask) {
  auto [gates, products, before, h, c] = tnp::recurrent_steps_backward(grad_out, grad_h, grad_c, h_0, c_0, weight_hh,
                                                                       mode, reverse, batch_sizes, out, saved, cells);
  Tensor weight, bias;
  const Tensor& of_products = products.defined() ? products : gates;
  const int64_t rows = out.size(0) * out.size(1), width = of_products.size(2), state = out.size(2);
  const Tensor flat = tnp::reshape(of_products, {rows, width});
  if (output_mask[3]) {
    const Tensor states = tnp::reshape(before, {rows, state});
    weight = tnp::cast(tnp::matmul(tnp::transpose(flat, 0, 1), tnp::cast(states, flat.dtype())), weight_hh.dtype());
  }
  if (output_mask[4] && bias_hh.defined())
    bias = tnp::cast(tnp::sum(flat, DimVector{0}, false, std::nullopt), bias_hh.dtype());
  return {output_mask[0] ? gates : Tensor(), output_mask[1] ? h : Tensor(), output_mask[2] ? c : Tensor(), weight,
          bias};
}

}  // namespace tnp::native
