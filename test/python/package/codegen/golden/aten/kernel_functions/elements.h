// Generated from native_functions/elements.yaml. Declarations of hand-written kernels, one for each
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


}  // namespace native

namespace schemas {
}  // namespace schemas

}  // namespace tnp
