// Whether empty() and resize_() fill new memory, as torch.use_deterministic_algorithms(True) with
// torch.utils.deterministic.fill_uninitialized_memory requires it.
#pragma once

#include <atomic>

#include "aten/core/macros.h"

namespace tnp {

TNP_API extern std::atomic<bool> fills_new_memory;

}  // namespace tnp
