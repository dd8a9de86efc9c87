// Generated from native_functions/elements.yaml. The operators that are written by hand on other operators:
// include this where they are defined.
#pragma once

#include "aten/functions/elements.h"

namespace tnp::native {


}  // namespace tnp::native
