// Generated from native_functions/elements.yaml. What operators with kernels check of their arguments, and which results they have:
// include this where it is defined.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aten/dispatch/outputs.h"

namespace tnp {

class Generator;

namespace meta {


}  // namespace meta
}  // namespace tnp
