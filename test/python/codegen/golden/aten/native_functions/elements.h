// Generated from native_functions/elements.yaml. The functions that are written by hand: include this where they are defined.
#pragma once

#include "aten/functions/elements.h"

namespace tnp::native {


}  // namespace tnp::native
