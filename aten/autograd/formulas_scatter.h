// Helpers of the derivative formulas of what selects and combines elements along lines.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "aten/core/tensor.h"

namespace tnp::formulas {

// Zeros of shape `sizes` with each element of `grad` where `indices` says it was in its line. No place occurs twice.
TNP_API Tensor scattered_lines(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
// The same, where places occur more than once: what arrives at one adds up.
TNP_API Tensor running_extremum_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
TNP_API Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim);

// Of `input` and `src`. Equal extrema share the gradient evenly; products are those of the others, exact with zeros.
TNP_API std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& input, int64_t dim,
                                                           const Tensor& index, const Tensor& src,
                                                           std::string_view reduce, bool include_self,
                                                           const Tensor& result, std::array<bool, 2> output_mask);

TNP_API Tensor unfold_backward(const Tensor& grad, IntList sizes, int64_t dimension, int64_t size, int64_t step);

}  // namespace tnp::formulas
