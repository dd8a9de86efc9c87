// Helpers of the derivative formulas of views, joins and sorts.
#pragma once

#include <optional>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp::formulas {

TNP_API Tensor permute_backward(const Tensor& grad, IntList dims);
TNP_API Tensor roll_backward(const Tensor& grad, IntList shifts, OptIntList dims);

// `grad` with axes of size 1 in front, as many as `sizes` has: an array that has them may be assigned to one without.
TNP_API Tensor with_leading_axes(const Tensor& grad, IntList sizes);

// The pieces of `grad` that came from each of `tensors`, which were joined along `dim`.
TNP_API std::vector<Tensor> cat_backward(const Tensor& grad, TensorList tensors, int64_t dim);

// The gradient of as_strided(): every element of `input` gets the sum over the places of the view that showed it.
// Raises NotImplemented if elements of `input` itself share memory.
TNP_API Tensor as_strided_backward(const Tensor& grad, const Tensor& input, IntList size, IntList stride,
                                   std::optional<int64_t> storage_offset);

}  // namespace tnp::formulas
