// Gradients of recurrent layers.
#pragma once

#include <span>
#include <string_view>
#include <tuple>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/tensor.h"

namespace tnp::formulas {

// Calls `recurrent_backward`. If the gradients need derivatives themselves, composes the steps of
// differentiable operators instead.
TNP_API std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> recurrent_gradients(
    const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& input, const Tensor& h_0,
    const Tensor& c_0, const Tensor& weight_ih, const Tensor& weight_hh, const Tensor& bias_ih, const Tensor& bias_hh,
    std::string_view mode, bool reverse, IntList batch_sizes, const Tensor& out, const Tensor& saved,
    const Tensor& cells, std::span<const bool> output_mask);

}  // namespace tnp::formulas
