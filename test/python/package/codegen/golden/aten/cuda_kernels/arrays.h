// Generated from native_functions/arrays.yaml. Pointers to the hand-written kernels of the CUDA
// library; null until it is loaded.
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
enum class Distribution : uint8_t;
}

namespace tnp::cuda_kernels {
}  // namespace tnp::cuda_kernels
