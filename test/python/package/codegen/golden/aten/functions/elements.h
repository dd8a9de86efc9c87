// Generated from native_functions/elements.yaml. Operators of the engine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"

namespace tnp {

class Generator;
enum class Distribution : uint8_t;  // aten/random/distribution.h

// twice(Tensor input) -> Tensor
TNP_API Tensor twice(const Tensor& input, const PointwiseOptions& options = {});
TNP_API const Tensor& twice_(const Tensor& input);
// halves(Tensor input) -> (Tensor low, Tensor high)
TNP_API std::tuple<Tensor, Tensor> halves(const Tensor& input, const PointwiseOptions& options = {});
// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
TNP_API Tensor total(const Tensor& input, OptIntList dim = std::nullopt, bool keepdim = false, std::optional<ScalarType> dtype = std::nullopt, const ReduceOptions& options = {});

}  // namespace tnp
