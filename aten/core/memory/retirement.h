// Delayed release of memory that a tensor gives up while other threads may still compute on it. A
// front end that calls the engine from several threads decides how long the memory is kept.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// Releases `old` once no running call can use it; immediately if no callback is registered.
TNP_API void retire_memory(Tensor old);

// Sets the callback of retire_memory().
TNP_API void set_retirement(void (*retire)(Tensor old));

}  // namespace tnp
