// Generated from native_functions/elements.yaml. Shape functions of operators with kernels: they check
// the arguments and describe the results. The files that define them include this header.
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
