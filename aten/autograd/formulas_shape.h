// Helpers of the derivative formulas of views, joins and sorts.
#pragma once

#include <optional>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp::formulas {

TNP_API Tensor permute_backward(const Tensor& grad, IntList dims);
TNP_API Tensor roll_backward(const Tensor& grad, IntList shifts, OptIntList dims);

// `grad` with leading axes of size 1 added, up to the rank of `sizes`. Needed because a value of
// shape (1, 3) may be assigned to an array of shape (3).
TNP_API Tensor with_leading_axes(const Tensor& grad, IntList sizes);

// Splits `grad` along `dim` into the gradients of `tensors`, which were concatenated along `dim`.
TNP_API std::vector<Tensor> cat_backward(const Tensor& grad, TensorList tensors, int64_t dim);

// The gradient of as_strided(): each element of `input` gets the sum over all elements of the view
// that alias it. Raises NotImplemented if elements of `input` itself share memory.
TNP_API Tensor as_strided_backward(const Tensor& grad, const Tensor& input, IntList size, IntList stride,
                                   std::optional<int64_t> storage_offset);

}  // namespace tnp::formulas
