// Generated from native_functions/arrays.yaml. The functions that are written by hand: include this where they are defined.
#pragma once

#include "aten/functions/arrays.h"

namespace tnp::native {

Tensor filled(IntList size, const Scalar& value, std::optional<ScalarType> dtype, Order order);
Tensor product_cpu(const Tensor& input, const Tensor& other, double scale);
Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1);
const Tensor& assign_cpu(const Tensor& self, const Tensor& src);
Tensor joined_cpu(TensorList tensors, int64_t dim);
std::vector<Tensor> joined_lists(TensorList tensors, std::string_view mode);
Tensor places_cpu(const Tensor& input, std::optional<int64_t> dim);
std::tuple<Tensor, Tensor> normalized(const Tensor& input, const Tensor& weight, std::span<const double> scales, std::optional<std::span<const double>> range, std::span<const bool> flags);
Tensor numbers(Distribution distribution, IntList size, Generator* generator);
bool fill_numbers_cpu(const Tensor& self, Distribution distribution, Generator* generator);

}  // namespace tnp::native
