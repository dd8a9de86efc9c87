// Generated from native_functions/elements.yaml. Declarations of operators that are written by hand with
// other operators. The files that define them include this header.
#pragma once

#include "aten/functions/elements.h"

namespace tnp::native {


}  // namespace tnp::native
