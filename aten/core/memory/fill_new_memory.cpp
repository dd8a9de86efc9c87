#include "aten/core/memory/fill_new_memory.h"

namespace tnp {

std::atomic<bool> fills_new_memory{false};

}  // namespace tnp
