// Whether shorter ways to results must be avoided, as a transformation sees all calls.
#pragma once

#include "aten/core/macros.h"

namespace tnp::compiler {

// Whether the thread's interceptor takes calls without wrapped tensors: a mode with __torch_dispatch__.
TNP_API bool sees_all_calls();

}  // namespace tnp::compiler
