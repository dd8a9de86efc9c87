// Helpers of the derivative formulas of operators that select and combine elements along lines.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "aten/core/tensor.h"

namespace tnp::formulas {

// Zeros of shape `sizes`, with each element of `grad` at the position in its line given by
// `indices`. Positions are unique.
TNP_API Tensor scattered_lines(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
// The same for positions that occur more than once: their gradients are accumulated.
TNP_API Tensor running_extremum_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
TNP_API Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim);

// For `input` and `src`. Equal extrema share the gradient evenly; products are exact with zeros.
TNP_API std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& input, int64_t dim,
                                                           const Tensor& index, const Tensor& src,
                                                           std::string_view reduce, bool include_self,
                                                           const Tensor& result, std::array<bool, 2> output_mask);

TNP_API Tensor unfold_backward(const Tensor& grad, IntList sizes, int64_t dimension, int64_t size, int64_t step);

}  // namespace tnp::formulas
