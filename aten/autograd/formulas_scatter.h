// Helpers of the derivative formulas of operators that select and combine elements along one axis.
// A line is a 1-d slice along that axis.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "aten/core/tensor.h"

namespace tnp::formulas {

// Zeros of shape `sizes`, with each element of `grad` at the position in its line given by
// `indices`. The positions within a line must be unique.
TNP_API Tensor scattered_lines(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
// Like scattered_lines(), but positions may occur more than once: the gradients of equal positions
// are added.
TNP_API Tensor running_extremum_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& indices);
TNP_API Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim);

// Returns the gradients of `input` and `src`. Equal extrema share the gradient evenly. Gradients of
// products are exact even if elements are zero.
TNP_API std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& input, int64_t dim,
                                                           const Tensor& index, const Tensor& src,
                                                           std::string_view reduce, bool include_self,
                                                           const Tensor& result, std::array<bool, 2> output_mask);

TNP_API Tensor unfold_backward(const Tensor& grad, IntList sizes, int64_t dimension, int64_t size, int64_t step);

}  // namespace tnp::formulas
