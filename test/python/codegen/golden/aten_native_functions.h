// Generated from native_functions.yaml. The operators that are written by hand on other operators: include this where
// they are defined.
#pragma once

#include "aten/functions.h"

namespace tnp::native {

Tensor filled(IntList size, const Scalar& value, std::optional<ScalarType> dtype, Order order);
Tensor swapped(const Tensor& input, int64_t dim0, int64_t dim1);
std::vector<Tensor> joined_lists(TensorList tensors, std::string_view mode);
Tensor numbers(Distribution distribution, IntList size, Generator* generator);

}  // namespace tnp::native
