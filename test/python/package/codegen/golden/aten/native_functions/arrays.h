// Generated from native_functions/arrays.yaml. Declarations of operators that are written by hand with
// other operators. The files that define them include this header.
#pragma once

#include "aten/functions/arrays.h"

namespace tnp::native {

Tensor filled(IntList size, const Scalar& value, std::optional<ScalarType> dtype, Order order);
Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1);
std::vector<Tensor> joined_lists(TensorList tensors, std::string_view mode);
void chosen_composite(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices);
std::tuple<Tensor, Tensor> normalized(const Tensor& input, const Tensor& weight, std::span<const double> scales, std::optional<std::span<const double>> range, std::span<const bool> flags);
Tensor numbers(Distribution distribution, IntList size, Generator* generator);

}  // namespace tnp::native
