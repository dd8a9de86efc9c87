// Generated from native_functions/elements.yaml. The kernels that are written by hand, one for each device: include this where
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


}  // namespace native
}  // namespace tnp
