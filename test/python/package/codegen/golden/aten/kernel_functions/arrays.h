// Generated from native_functions/arrays.yaml. Declarations of hand-written kernels, one for each
// device, and schemas of their operators. The files that define the kernels include this header.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

#include "aten/core/operator_schema.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

namespace native {

void product_cpu(const Tensor& input, const Tensor& other, double scale, const Tensor& out);
void assign_cpu(const Tensor& self, const Tensor& src);
void joined_cpu(TensorList tensors, int64_t dim, const Tensor& out);
void chosen_cpu(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices);
void places_cpu(const Tensor& input, std::optional<int64_t> dim, const Tensor& out);
bool fill_numbers_cpu(const Tensor& self, Distribution distribution, Generator* generator);

}  // namespace native

namespace schemas {
extern const OperatorSchema product;
extern const OperatorSchema assign_;
extern const OperatorSchema joined;
extern const OperatorSchema chosen;
extern const OperatorSchema places;
extern const OperatorSchema fill_numbers;
}  // namespace schemas

}  // namespace tnp
