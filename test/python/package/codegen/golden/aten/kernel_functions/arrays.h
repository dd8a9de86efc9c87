// Generated from native_functions/arrays.yaml. The kernels that are written by hand, one for each device: include this where
// they are defined.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

namespace native {

void product_cpu(const Tensor& input, const Tensor& other, double scale, const Tensor& out);
void assign_cpu(const Tensor& self, const Tensor& src);
void joined_cpu(TensorList tensors, int64_t dim, const Tensor& out);
void places_cpu(const Tensor& input, std::optional<int64_t> dim, const Tensor& out);
bool fill_numbers_cpu(const Tensor& self, Distribution distribution, Generator* generator);

}  // namespace native
}  // namespace tnp
