// Generated from native_functions.yaml. The kernels that are written by hand, one for each device: include this where
// they are defined.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

namespace native {

Tensor product_cpu(const Tensor& input, const Tensor& other, double scale);
const Tensor& assign_cpu(const Tensor& self, const Tensor& src);
Tensor joined_cpu(TensorList tensors, int64_t dim);
Tensor places_cpu(const Tensor& input, std::optional<int64_t> dim);
bool fill_numbers_cpu(const Tensor& self, Distribution distribution, Generator* generator);

}  // namespace native
}  // namespace tnp
