// Memory that a tensor lets go of while other threads may be computing on it: who calls the engine from several threads
// says how long it is kept.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Drops `old` when no call needs it any more: at once, if nobody has said otherwise.
TNP_API void retire_memory(Tensor old);

// What retire_memory() calls.
TNP_API void set_retirement(void (*retire)(Tensor old));

}  // namespace tnp
